package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// patience bounds what a test waits for: far more than it takes, so that only a hang
// fails by it.
const patience = 60 * time.Second

// A running is a server that a test has started.
type running struct {
	address string
	stop    context.CancelFunc // as a signal would
	ended   chan int
	talk    *transcript
	out     string // the first line
}

// A transcript is what a server writes to stderr; a test may read it while the server runs.
type transcript struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (t *transcript) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.text.Write(p)
}

func (t *transcript) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.text.String()
}

// serveHere runs dev or serve in this process until the test ends or stops it. It returns
// when the first line has come, which dev prints when it is ready.
func serveHere(t *testing.T, env map[string]string, args ...string) *running {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	out, to := io.Pipe()
	r := &running{stop: cancel, ended: make(chan int, 1), talk: &transcript{}}
	go func() {
		code := Main(ctx, args, strings.NewReader(""), to, r.talk, func(name string) string { return env[name] })
		to.Close()
		r.ended <- code
	}()
	line, err := bufio.NewReader(out).ReadString('\n')
	go io.Copy(io.Discard, out)
	if err != nil {
		t.Fatalf("%v ended with %d before it was ready: %s", args, <-r.ended, r.talk)
	}
	r.out = line
	var ready struct {
		Address string `json:"address"`
	}
	if err := json.Unmarshal([]byte(line), &ready); err == nil {
		r.address = ready.Address
	}
	t.Cleanup(func() { r.end(t) })
	return r
}

// end stops the server and returns its exit code.
func (r *running) end(t *testing.T) int {
	t.Helper()
	r.stop()
	select {
	case code := <-r.ended:
		r.ended <- code
		return code
	case <-time.After(patience):
		t.Fatal("the server does not stop")
		return 0
	}
}

// ready waits until the store has answered.
func (r *running) ready(t *testing.T) {
	t.Helper()
	for deadline := time.Now().Add(patience); ; {
		code, text := get(t, r.address+"/readyz")
		if code == http.StatusOK {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("not ready: %d %s", code, text)
		}
	}
}

func TestDev(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "dev")
	dev := serveHere(t, nil, "dev", "--addr", "127.0.0.1:0", "--dir", dir, "-o", "json")
	if workflows, _ := lookup([]byte(dev.out), "workflows"); workflows != `["agent","approval","callcentre","conversation","hello","iterate","loop","parallel"]` {
		t.Errorf("workflows of the seeds: %s", workflows)
	}
	if model, _ := lookup([]byte(dev.out), "model"); model != "script" {
		t.Errorf("model %s", model)
	}
	ask := func(want int, args ...string) string {
		t.Helper()
		got := invoke(t, "", nil, append(args, "--dir", dir, "-o", "json")...)
		if got.code != want {
			t.Fatalf("%v: exit %d, want %d: %s%s", args, got.code, want, got.out, got.err)
		}
		return got.out + got.err
	}
	started := ask(0, "session", "start", "conversation", "--id", "c1")
	if prompt, _ := lookup([]byte(started), "awaiting.0.prompt"); prompt != "Hello! What would you like to talk about?" {
		t.Errorf("question: %s", started)
	}
	answered := ask(0, "session", "answer", "c1", "bye")
	if status, _ := lookup([]byte(answered), "status"); status != "complete" {
		t.Errorf("after the answer: %s", answered)
	}
	if end := ask(0, "session", "watch", "c1"); !strings.Contains(end, `"event":"end"`) {
		t.Errorf("events: %s", end)
	}
	ask(4, "session", "answer", "c1", "again")
	ask(3, "session", "show", "nobody")
	ask(2, "run", "hello", "--model-script", "x.json")
	ask(5, "run", "hello")
	ask(0, "run", "hello", "--answers", write(t, filepath.Join(t.TempDir(), "a.json"), []string{"Ada"}))
	ask(0, "load", write(t, filepath.Join(t.TempDir(), "w.cypher"), "CREATE (:STEP {id: 'root'});"))
	ask(0, "run", "w")
	ask(0, "doctor")
	// The file is the engine's: what opens it says where the engine is.
	if held := ask(4, "session", "list", "--store", "sqlite:"+filepath.Join(dir, "stepgraph.db")); !strings.Contains(held, dev.address) {
		t.Errorf("held file: %s", held)
	}
	if second := ask(4, "dev"); !strings.Contains(second, dev.address) {
		t.Errorf("a second dev: %s", second)
	}
	if code := dev.end(t); code != 0 {
		t.Errorf("dev ended with %d: %s", code, dev.talk)
	}
	if _, err := os.Stat(filepath.Join(dir, "address")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the address is still there: %v", err)
	}
	// Without the server the same commands open the file themselves.
	if shown := ask(0, "session", "show", "c1"); !strings.Contains(shown, `"status":"complete"`) {
		t.Errorf("after the end: %s", shown)
	}
}

// TestStaleAddress: an address left by a crash is no server.
func TestStaleAddress(t *testing.T) {
	dir := t.TempDir()
	file := write(t, filepath.Join(dir, "w.cypher"), "CREATE (:STEP {id: 'root'});")
	write(t, filepath.Join(dir, "address"), "http://127.0.0.1:1\n")
	if got := invoke(t, "", nil, "load", file, "--dir", dir); got.code != 0 {
		t.Errorf("exit %d: %s", got.code, got.err)
	}
	if got := invoke(t, "", map[string]string{"STEPGRAPH_SERVER": "127.0.0.1:1"}, "list", "--dir", dir); got.code != 1 || !strings.Contains(got.err, "no engine answers at 127.0.0.1:1") {
		t.Errorf("a server somebody named: exit %d: %s", got.code, got.err)
	}
}

func TestServe(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct {
		why  string
		args []string
		want string
	}{
		{"no store", nil, "--store is missing"},
		{"no such store", []string{"--store", "mysql://x"}, "store"},
		{"no duration", []string{"--store", "memory", "--lease", "soon"}, "--lease"},
		{"no such function", []string{"--store", "memory", "--max-calls-of", "utils.api.apy=4"}, "did you mean utils.api.api"},
		{"no number of calls", []string{"--store", "memory", "--max-calls-of", "utils.api.api"}, "want FUNCTION=N"},
		{"no number of sessions", []string{"--store", "memory", "--max-sessions", "-1"}, "--max-sessions is -1"},
		{"no token off loopback", []string{"--store", "memory", "--addr", "0.0.0.0:0"}, "--token"},
	} {
		if got := invoke(t, "", nil, append([]string{"serve", "--dir", dir}, c.args...)...); got.code != 2 || !strings.Contains(got.err, c.want) {
			t.Errorf("%s: exit %d: %s", c.why, got.code, got.err)
		}
	}
	s := serveHere(t, nil, "serve", "--store", "memory", "--addr", "127.0.0.1:0", "--token", "secret", "--lease", "2s", "--dir", dir, "-o", "json")
	s.ready(t)
	env := map[string]string{"STEPGRAPH_SERVER": s.address}
	if got := invoke(t, "", env, "list", "--dir", dir); got.code != 1 || !strings.Contains(strings.ToLower(got.err), "token") {
		t.Errorf("without token: exit %d: %s", got.code, got.err)
	}
	env["STEPGRAPH_TOKEN"] = "secret"
	if got := invoke(t, "", env, "list", "--dir", dir); got.code != 0 {
		t.Errorf("with token: exit %d: %s", got.code, got.err)
	}
}

// TestServeWaitsForItsStore: alive at once, ready when the store answers, told what to
// check meanwhile.
func TestServeWaitsForItsStore(t *testing.T) {
	s := serveHere(t, nil, "serve", "--store", "bolt://127.0.0.1:1", "--addr", "127.0.0.1:0", "-o", "json")
	if code, _ := get(t, s.address+"/healthz"); code != http.StatusOK {
		t.Errorf("/healthz: %d", code)
	}
	for deadline := time.Now().Add(patience); ; {
		code, text := get(t, s.address+"/readyz")
		if code != http.StatusServiceUnavailable || !strings.Contains(text, "/problems/unavailable") {
			t.Fatalf("/readyz: %d %s", code, text)
		}
		if strings.Contains(text, "127.0.0.1:1") { // where the store is tells strangers of the inside
			t.Fatalf("/readyz names the store: %s", text)
		}
		if strings.Contains(s.talk.String(), "store is not available yet") || time.Now().After(deadline) {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	if code := s.end(t); code != 0 {
		t.Errorf("told to stop while it waits: %d", code)
	}
	if talk := s.talk.String(); !strings.Contains(talk, "store is not available yet") || !strings.Contains(talk, "127.0.0.1:1") {
		t.Errorf("the log says nothing of the store: %s", talk)
	}
}

func get(t *testing.T, address string) (int, string) {
	t.Helper()
	response, err := http.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(text)
}

// TestKill: what was acknowledged survives the process, and the next one goes on.
func TestKill(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "dev")
	first, _ := serveApart(t, dir)
	must := func(want string, args ...string) {
		t.Helper()
		got := invoke(t, "", nil, append(args, "--dir", dir, "-o", "json")...)
		if status, _ := lookup([]byte(got.out), "status"); status != want {
			t.Fatalf("%v: exit %d, want %s: %s%s", args, got.code, want, got.out, got.err)
		}
	}
	must("awaiting_input", "session", "start", "conversation", "--id", "k1")
	must("awaiting_input", "session", "answer", "k1", "hello")
	kill(t, first)
	second, _ := serveApart(t, dir)
	must("awaiting_input", "session", "show", "k1")
	must("complete", "session", "answer", "k1", "bye")
	kill(t, second)
	must("complete", "session", "show", "k1") // by an engine of its own, beside the stale address
}

// serveApart starts dev as a process of its own and waits until it is ready.
func serveApart(t *testing.T, dir string, more ...string) (*exec.Cmd, *bytes.Buffer) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "stepgraph", append([]string{"dev", "--addr", "127.0.0.1:0", "--dir", dir, "-o", "json"}, more...)...)
	var talk bytes.Buffer
	cmd.Stderr = &talk
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Fatalf("dev did not start: %s", talk.String())
	}
	return cmd, &talk
}

func kill(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // it says that it was killed
}

func TestDevWatchesAFolder(t *testing.T) {
	dir, folder := filepath.Join(t.TempDir(), "dev"), t.TempDir()
	file := filepath.Join(folder, "w.cypher")
	write(t, file, "CREATE (:STEP {id: 'root'});")
	s := serveHere(t, nil, "dev", "--addr", "127.0.0.1:0", "--dir", dir, "--watch", folder, "-o", "json")
	steps := func() string {
		got := invoke(t, "", nil, "show", "w", "--dir", dir)
		return got.out
	}
	if !strings.Contains(steps(), "1 step") {
		t.Fatalf("not loaded at the start: %s", steps())
	}
	write(t, file, "CREATE (:STEP {id: 'root'})-[:NEXT]->(:STEP {id: 'second'});")
	for deadline := time.Now().Add(patience); !strings.Contains(steps(), "second"); {
		if time.Now().After(deadline) {
			t.Fatalf("the change was not loaded: %s", steps())
		}
	}
	write(t, file, "CREATE (:STEP {id: 'root', function: 'nonsense'});")
	for deadline := time.Now().Add(patience); !strings.Contains(s.talk.String(), file+" was not loaded"); {
		if time.Now().After(deadline) {
			t.Fatalf("nothing is said of the refused file: %s", s.talk)
		}
		time.Sleep(10 * time.Millisecond)
	}
	if !strings.Contains(steps(), "second") {
		t.Errorf("the refused file was loaded: %s", steps())
	}
}

// TestDrain: a server that is told to stop says so on /readyz and goes on answering.
func TestDrain(t *testing.T) {
	s := serveHere(t, nil, "serve", "--store", "memory", "--addr", "127.0.0.1:0", "--drain", "1s", "--dir", t.TempDir(), "-o", "json")
	s.ready(t)
	s.stop()
	status := func(path string) int {
		r, err := http.Get(s.address + path)
		if err != nil {
			t.Fatalf("%s while it drains: %v", path, err)
		}
		r.Body.Close()
		return r.StatusCode
	}
	for status("/readyz") == http.StatusOK { // until it was told
	}
	if got := status("/api/v1/sessions"); got != http.StatusOK {
		t.Errorf("sessions while it drains: %d", got)
	}
}
