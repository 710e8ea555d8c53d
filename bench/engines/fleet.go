package main

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"time"
)

// A fleet is engine processes on one store.
type fleet struct {
	b     *bench
	store string
	args  []string // further flags of serve

	mu      sync.Mutex
	engines []*process
	started int
}

// A process is one `stepgraph serve`.
type process struct {
	cmd     *exec.Cmd
	done    chan struct{} // closed when it has ended
	address string
	log     string
}

// serve starts n engines on a store. The caller stops them.
func (b *bench) serve(ctx context.Context, store string, n int, args ...string) (*fleet, error) {
	f := &fleet{b: b, store: store, args: args}
	for range n {
		e, err := f.start(ctx)
		if err != nil {
			f.stop()
			return nil, err
		}
		f.engines = append(f.engines, e)
	}
	return f, nil
}

// start starts an engine and returns when it is ready.
func (f *fleet) start(ctx context.Context) (*process, error) {
	f.started++
	folder, err := os.MkdirTemp(f.b.folder, "engine-")
	if err != nil {
		return nil, err
	}
	e := &process{done: make(chan struct{}), log: filepath.Join(folder, "log")}
	log, err := os.Create(e.log)
	if err != nil {
		return nil, err
	}
	defer log.Close()
	config := filepath.Join(folder, "config.json")
	text, err := json.Marshal(map[string]any{"functions": map[string]string{function: f.b.stub.server.URL}})
	if err == nil {
		err = os.WriteFile(config, text, 0o600)
	}
	if err != nil {
		return nil, err
	}
	e.cmd = exec.Command(f.b.program, append([]string{"serve", "--store", f.store, "--addr", "127.0.0.1:0", "--dir", folder, "--config", config, "-o", "json"}, f.args...)...)
	e.cmd.Stderr = log
	out, err := e.cmd.StdoutPipe()
	if err == nil {
		err = e.cmd.Start()
	}
	if err != nil {
		return nil, err
	}
	line, readErr := bufio.NewReader(out).ReadBytes('\n')
	go func() { defer close(e.done); _ = e.cmd.Wait() }() // how it ended is in its log
	var ready struct{ Address string }
	if readErr != nil || json.Unmarshal(line, &ready) != nil || ready.Address == "" {
		return nil, fmt.Errorf("engine %d did not start: %q: %s", f.started, line, e.tail())
	}
	e.address = ready.Address
	if err := f.ready(ctx, e); err != nil {
		e.end(syscall.SIGKILL)
		return nil, err
	}
	return e, nil
}

// ready waits until an engine has its store.
func (f *fleet) ready(ctx context.Context, e *process) error {
	return f.b.until(ctx, "engine is not ready: "+e.log, func() bool {
		response, err := http.Get(e.address + "/readyz")
		if err != nil {
			return false
		}
		response.Body.Close()
		return response.StatusCode == http.StatusOK
	})
}

// restart ends the i-th engine by SIGTERM and starts another one in its place.
func (f *fleet) restart(ctx context.Context, i int) error {
	f.engine(i).end(syscall.SIGTERM)
	e, err := f.start(ctx)
	if err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.engines[i] = e
	return nil
}

// engine returns the i-th engine; after the last one it begins again.
func (f *fleet) engine(i int) *process {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.engines[i%len(f.engines)]
}

// stop kills all engines. Their sessions have ended by then: each row waits for its own or cancels them.
func (f *fleet) stop() {
	for _, e := range f.engines {
		e.end(syscall.SIGKILL)
	}
}

// end signals an engine and waits until it has ended.
func (e *process) end(how syscall.Signal) {
	_ = e.cmd.Process.Signal(how) // it may have ended
	select {
	case <-e.done:
	case <-time.After(time.Minute):
		_ = e.cmd.Process.Kill()
		<-e.done
	}
}

// tail is the end of its log.
func (e *process) tail() string {
	text, err := os.ReadFile(e.log)
	if err != nil {
		return err.Error()
	}
	return cmp.Or(string(text[max(0, len(text)-2000):]), "its log is empty")
}
