package neo4jserver

import (
	"context"
	"os/exec"
	"runtime"
)

// A process is a server running in the foreground as a child of this process.
type process struct {
	command *exec.Cmd
	done    chan struct{} // closed when it has ended and was waited for
	err     error         // how it ended; read it after done
}

// launch starts the command in a process group of its own, so that Ctrl-C at
// the terminal reaches us alone and we decide when the server stops. Linux
// signals a child when the thread that started it ends, not the process,
// hence the thread that is kept for as long as the child lives.
func launch(command *exec.Cmd) (*process, error) {
	command.SysProcAttr = processAttributes()
	p := &process{command: command, done: make(chan struct{})}
	started := make(chan error)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := command.Start()
		started <- err
		if err != nil {
			return
		}
		p.err = command.Wait()
		close(p.done)
	}()
	if err := <-started; err != nil {
		return nil, err
	}
	return p, nil
}

func (p *process) ended() bool {
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}

// terminate asks the process to end and waits. It returns the context's cause
// when the process has not ended by then.
func (p *process) terminate(ctx context.Context) error {
	if p.ended() {
		return nil
	}
	if err := p.command.Process.Signal(terminateSignal); err != nil && !p.ended() {
		return err
	}
	select {
	case <-p.done:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// kill ends the process at once and waits until it is gone.
func (p *process) kill() error {
	if p.ended() {
		return nil
	}
	err := p.command.Process.Kill()
	if err != nil && !p.ended() {
		return err
	}
	<-p.done
	return nil
}
