package process

import (
	"bytes"
	"os"
	"strconv"
	"syscall"
)

// sweep kills processes with a mark in their environment: children that left their group. It
// repeats until it finds none, because such a process may start another meanwhile.
func sweep(mark string) {
	for range 5 {
		if !killMarked([]byte(mark)) {
			return
		}
	}
}

func killMarked(mark []byte) (found bool) {
	all, err := os.ReadDir("/proc")
	if err != nil {
		return false
	}
	for _, entry := range all {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil || pid == os.Getpid() {
			continue
		}
		environment, err := os.ReadFile("/proc/" + entry.Name() + "/environ")
		if err != nil || !carries(environment, mark) {
			continue
		}
		if syscall.Kill(pid, syscall.SIGKILL) == nil {
			found = true
		}
	}
	return found
}

func carries(environment, mark []byte) bool {
	for _, variable := range bytes.Split(environment, []byte{0}) {
		if bytes.Equal(variable, mark) {
			return true
		}
	}
	return false
}
