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
