//go:build !unix

package main

// openFiles is how many files the process may have open: there is no such limit here.
func openFiles() int { return 1 << 16 }

// noCoreDumps does nothing: the system writes no core dumps by default.
func noCoreDumps(string) {}
