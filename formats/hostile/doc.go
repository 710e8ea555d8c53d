// Package hostile contains tests only. They check one property of every format: loading a file
// has no side effects. Thousands of malicious files are loaded, validated, stored and exported
// in a process that the kernel kills as soon as it starts a program, opens a socket or
// accesses a file. No file may crash the process or exhaust its memory.
package hostile
