// Package process runs a command in a process group of its own and leaves none of its
// children behind. Output is bounded, so that a command cannot fill the memory.
//
// Whoever left the group (setsid, a daemon) is found by a mark in the environment, on Linux.
// Limits and isolation exist on Linux only; elsewhere whoever asks for them is told.
package process
