package mcp_test

import (
	"os"
	"syscall"
	"testing"
	"time"
)

// waitForEnd waits until a process of ours has ended and was waited for; a signal tells
// nobody but its parent, so it is asked again and again.
func waitForEnd(t *testing.T, pid int) {
	t.Helper()
	process, err := os.FindProcess(pid)
	if err != nil {
		return
	}
	ticker := time.NewTicker(5 * time.Millisecond)
	defer ticker.Stop()
	for range 2000 {
		if process.Signal(syscall.Signal(0)) != nil {
			return
		}
		<-ticker.C
	}
	t.Errorf("process %d still runs", pid)
}
