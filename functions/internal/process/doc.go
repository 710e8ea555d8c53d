// Package process runs a command in a process group of its own and ends all its child
// processes. Output is bounded, so that a command cannot exhaust the memory.
//
// On Linux, processes that left the group (setsid, a daemon) are found by a mark in their
// environment. Limits and isolation exist on Linux only; elsewhere requesting them is an
// error.
package process
