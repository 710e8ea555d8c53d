package faultlane

import (
	"bufio"
	"bytes"
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
	"testing"
	"time"

	"github.com/stepgraph/stepgraph/cypher/neo4jtest"
)

// lease is how long a dead engine blocks a session here.
const lease = 1500 * time.Millisecond

// drain is how long an engine goes on answering after SIGTERM, while clients send it requests.
const drain = 150 * time.Millisecond

// binary is the program under test: what STEPGRAPH_FAULTS_BINARY names (an older one, say),
// else built once from this tree.
var binary = sync.OnceValues(func() (string, error) {
	if given := os.Getenv("STEPGRAPH_FAULTS_BINARY"); given != "" {
		return given, nil
	}
	var err error
	if built, err = os.MkdirTemp("", "stepgraph-faultlane-*"); err != nil {
		return "", err
	}
	return build("stepgraph")
})

// build makes the program in the folder of the tests, with flags for go build.
func build(name string, flags ...string) (string, error) {
	made := filepath.Join(built, name)
	args := append([]string{"build", "-o", made}, flags...)
	out, err := exec.Command("go", append(args, "github.com/stepgraph/stepgraph/cmd/stepgraph")...).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("build stepgraph: %w: %s", err, out)
	}
	return made, nil
}

// built is the folder of the program, "" while none was built.
var built string

func TestMain(m *testing.M) {
	code := m.Run()
	if built != "" {
		_ = os.RemoveAll(built) // a folder of the system's for temporary files
	}
	os.Exit(code)
}

// A fleet is the engine processes of one round, all on one store.
type fleet struct {
	t      *testing.T
	config string
	logs   string

	mu      sync.Mutex
	engines []*process
	started int
}

// A process is one place in the fleet: an engine that may be running, stopped or dead.
type process struct {
	store   string           // as its --store; "" for that of its config
	program string           // "" for the program under test
	config  string           // "" for that of the fleet
	proxy   *neo4jtest.Proxy // between it and the store; nil where there is none
	cmd     *exec.Cmd
	done    chan struct{}
	address string // "" while it is dead
	log     string
}

// newFleet prepares engines on stores, an address for each; nothing runs yet.
func newFleet(t *testing.T, functions string) *fleet {
	f := &fleet{t: t, logs: t.TempDir()}
	f.config = f.configure("config", map[string]any{"functions": map[string]string{"side.*": functions}})
	t.Cleanup(f.killAll)
	return f
}

// configure writes a configuration and returns its file.
func (f *fleet) configure(name string, configuration map[string]any) string {
	f.t.Helper()
	file := filepath.Join(f.logs, name+".json")
	text, err := json.Marshal(configuration)
	if err == nil {
		err = os.WriteFile(file, text, 0o600)
	}
	if err != nil {
		f.t.Fatal(err)
	}
	return file
}

func (f *fleet) add(store string, p *neo4jtest.Proxy) *process {
	e := &process{store: store, proxy: p}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.engines = append(f.engines, e)
	return e
}

// addresses are those of engines that live, stopped ones among them.
func (f *fleet) addresses() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	var all []string
	for _, e := range f.engines {
		if e.address != "" {
			all = append(all, e.address)
		}
	}
	return all
}

// start starts an engine and returns once it listens; it may still wait for its store.
func (f *fleet) start(e *process) error {
	program, err := binary()
	if err != nil {
		return err
	}
	program = cmp.Or(e.program, program)
	f.started++
	e.log = filepath.Join(f.logs, fmt.Sprintf("engine-%d.log", f.started))
	log, err := os.Create(e.log)
	if err != nil {
		return err
	}
	defer log.Close()
	arguments := []string{"serve", "--addr", "127.0.0.1:0", "--lease", lease.String(),
		"--drain", drain.String(), "--config", cmp.Or(e.config, f.config), "-o", "json"}
	if e.store != "" {
		arguments = append(arguments, "--store", e.store)
	}
	cmd := exec.Command(program, arguments...)
	cmd.Env = append(os.Environ(), "NEO4J_AUTH=none", "NEO4J_USERNAME=", "NEO4J_PASSWORD=", "NEO4J_DATABASE=")
	cmd.Stderr = log
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return err
	}
	done := make(chan struct{})
	line, readErr := bufio.NewReader(out).ReadBytes('\n')
	go func() { defer close(done); _ = cmd.Wait() }() // says how it was killed
	var ready struct{ Address string }
	if readErr != nil || json.Unmarshal(line, &ready) != nil || ready.Address == "" {
		_ = cmd.Process.Kill() // it has most likely ended by itself
		return fmt.Errorf("engine %d did not start: %q %v: %s", f.started, line, readErr, tail(e.log))
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	e.cmd, e.done, e.address = cmd, done, ready.Address
	return nil
}

// ready waits until an engine has its store.
func (f *fleet) ready(ctx context.Context, e *process) error {
	ok := until(ctx, patience, func() bool {
		response, err := http.Get(e.address + "/readyz")
		if err != nil {
			return false
		}
		defer response.Body.Close()
		return response.StatusCode == http.StatusOK
	})
	if !ok {
		return fmt.Errorf("engine at %s is not ready: %s", e.address, tail(e.log))
	}
	return nil
}

// kill ends an engine at once.
func (f *fleet) kill(e *process) { f.end(e, syscall.SIGKILL) }

// term asks an engine to stop.
func (f *fleet) term(e *process) { f.end(e, syscall.SIGTERM) }

func (f *fleet) end(e *process, how syscall.Signal) {
	if e.address == "" {
		return
	}
	_ = e.cmd.Process.Signal(how) // it may have ended by itself, which done tells
	select {
	case <-e.done:
	case <-time.After(patience):
		f.t.Errorf("engine at %s does not end: %s", e.address, tail(e.log))
		_ = e.cmd.Process.Kill()
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	e.address = ""
}

// stop stops an engine as a machine that is frozen would, until cont.
func (f *fleet) stop(e *process) error { return e.cmd.Process.Signal(syscall.SIGSTOP) }
func (f *fleet) cont(e *process) error { return e.cmd.Process.Signal(syscall.SIGCONT) }

func (f *fleet) killAll() {
	for _, e := range f.engines {
		f.kill(e)
	}
}

// died tells which engines have ended though nobody ended them.
func (f *fleet) died() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, e := range f.engines {
		if e.address == "" {
			continue
		}
		select {
		case <-e.done:
			return fmt.Sprintf("engine at %s has ended by itself: %s", e.address, tail(e.log))
		default:
		}
	}
	return ""
}

// logged counts a text in the logs of all engines that ever ran.
func (f *fleet) logged(text string) int {
	n := 0
	for i := 1; i <= f.started; i++ {
		log, err := os.ReadFile(filepath.Join(f.logs, fmt.Sprintf("engine-%d.log", i)))
		if err != nil {
			f.t.Error(err)
		}
		n += bytes.Count(log, []byte(text))
	}
	return n
}

// tail is the end of a log.
func tail(file string) string {
	text, err := os.ReadFile(file)
	if err != nil {
		return err.Error()
	}
	return string(text[max(0, len(text)-2000):])
}
