package neo4jserver

import "syscall"

// terminateSignal asks a server to shut down cleanly.
const terminateSignal = syscall.SIGTERM

// processAttributes makes the kernel ask the server to shut down when this
// process dies, however it dies. It is SIGTERM and not SIGKILL because the
// docker client passes that on to its container.
func processAttributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM}
}
