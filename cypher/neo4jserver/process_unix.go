//go:build unix && !linux

package neo4jserver

import "syscall"

// terminateSignal asks a server to shut down cleanly.
const terminateSignal = syscall.SIGTERM

// processAttributes cannot tie the server's life to ours here: when this
// process is killed, the server stays and has to be stopped by hand.
func processAttributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true}
}
