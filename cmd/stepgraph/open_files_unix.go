//go:build unix

package main

import "syscall"

// mostFiles bounds what a system without a limit is taken to allow.
const mostFiles = 1 << 16

// openFiles is how many files the process may have open.
func openFiles() int {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil || uint64(limit.Cur) > mostFiles {
		return mostFiles
	}
	return int(limit.Cur)
}

// noCoreDumps keeps the memory of a server that crashes off the disk: secrets, keys and states
// are in it. GOTRACEBACK=crash, which asks for a dump, leaves it as it is.
func noCoreDumps(traceback string) {
	if traceback == "crash" {
		return
	}
	var limit syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_CORE, &limit) == nil {
		limit.Cur = 0
		_ = syscall.Setrlimit(syscall.RLIMIT_CORE, &limit) // lowering is always allowed
	}
}
