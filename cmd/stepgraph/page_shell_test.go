package main

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// A pageShell is the terminal of one page: one sh in a folder of its own, and the servers that
// were started there. All commands go to that one process, so variables stay, and a page
// costs one process and what it starts.
type pageShell struct {
	t       *testing.T
	dir     string
	cmd     *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Reader
	servers []*pageServer
	ports   map[string]string // shown address to the one in use
}

// A pageServer is a `stepgraph dev` or `serve` of a page.
type pageServer struct {
	cmd  *exec.Cmd
	talk output
	done chan struct{}
	read int // how much of the output has been shown
}

// output gathers what a server writes, and wakes who waits for more.
type output struct {
	mu   sync.Mutex
	text strings.Builder
	more chan struct{}
}

func (o *output) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.text.Write(b)
	if o.more != nil {
		close(o.more)
		o.more = nil
	}
	return len(b), nil
}

// now returns the text so far and a channel that is closed when there is more.
func (o *output) now() (string, <-chan struct{}) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.more == nil {
		o.more = make(chan struct{})
	}
	return o.text.String(), o.more
}

const endOfCommand = "\x01end "

func openShell(t *testing.T) *pageShell {
	t.Helper()
	s := &pageShell{t: t, dir: t.TempDir(), ports: map[string]string{}}
	s.cmd = exec.CommandContext(t.Context(), "sh")
	s.cmd.Dir = s.dir
	s.cmd.Env = pageEnvironment(s.dir)
	var err error
	if s.in, err = s.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	s.out = bufio.NewReader(out)
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		s.in.Close()
		s.cmd.Wait()
		for _, server := range s.servers {
			server.stop()
		}
	})
	return s
}

// pageEnvironment is the environment without what the person who runs the tests has set.
func pageEnvironment(dir string) []string {
	var env []string
	for _, line := range os.Environ() {
		name, _, _ := strings.Cut(line, "=")
		if !strings.HasPrefix(name, "STEPGRAPH_") && !strings.HasPrefix(name, "NEO4J_") && !strings.HasSuffix(name, "_API_KEY") {
			env = append(env, line)
		}
	}
	return append(env, "HOME="+dir, "TZ=UTC", "COLUMNS=120", "NO_COLOR=1")
}

var address = regexp.MustCompile(`(?:127\.0\.0\.1|localhost):77\d\d\b`)

// real puts the addresses in use into a command.
func (s *pageShell) real(text string) string {
	return address.ReplaceAllStringFunc(text, func(a string) string {
		if port, ok := s.ports[a[strings.LastIndex(a, ":")+1:]]; ok {
			return a[:strings.LastIndex(a, ":")+1] + port
		}
		return a
	})
}

// shown puts the addresses of the page into an output.
func (s *pageShell) shown(text string) string {
	for shown, port := range s.ports {
		text = strings.ReplaceAll(text, ":"+port, ":"+shown)
	}
	return strings.ReplaceAll(text, s.dir, "~")
}

// run runs a command and returns what it printed and its exit code.
func (s *pageShell) run(command string) (string, int) {
	s.t.Helper()
	fmt.Fprintf(s.in, "(exit ${__code:-0}); { %s\n} 2>&1 </dev/null; __code=$?; printf '\\n%s%%d\\n' $__code\n", s.real(command), endOfCommand)
	var text strings.Builder
	for {
		line, err := s.out.ReadString('\n')
		if code, ended := strings.CutPrefix(line, endOfCommand); ended {
			n, _ := strconv.Atoi(strings.TrimSpace(code))
			return s.shown(strings.TrimSuffix(text.String(), "\n")), n
		}
		text.WriteString(line)
		if err != nil {
			s.t.Fatalf("%s: the shell ended: %v\n%s", command, err, text.String())
		}
	}
}

var serverCommand = regexp.MustCompile(`^(?:\w+=\S+ )*(?:go run \./cmd/)?stepgraph (?:dev|serve)\b`)

// start starts a server in the background, on a free port in place of the one shown.
func (s *pageShell) start(command string) *pageServer {
	s.t.Helper()
	shown := "7766"
	if m := address.FindString(command); m != "" {
		shown = m[strings.LastIndex(m, ":")+1:]
	}
	s.ports[shown] = freePort(s.t)
	command = strings.Replace(s.real(command), "go run ./cmd/stepgraph", "stepgraph", 1)
	if !strings.Contains(command, "--addr") {
		command += " --addr 127.0.0.1:" + s.ports[shown]
	}
	server := &pageServer{done: make(chan struct{})}
	server.cmd = exec.CommandContext(s.t.Context(), "sh", "-c", "exec env "+strings.TrimPrefix(command, "exec "))
	server.cmd.Dir, server.cmd.Env = s.dir, pageEnvironment(s.dir)
	server.cmd.Stdout, server.cmd.Stderr = &server.talk, &server.talk
	if err := server.cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	go func() { server.cmd.Wait(); close(server.done) }()
	s.servers = append(s.servers, server)
	s.ready(server, "http://127.0.0.1:"+s.ports[shown]+"/readyz")
	return server
}

// ready waits until a server answers.
func (s *pageShell) ready(server *pageServer, probe string) {
	for late := time.After(patience); ; {
		if response, err := http.Get(probe); err == nil {
			response.Body.Close()
			if response.StatusCode == http.StatusOK {
				return
			}
		}
		select {
		case <-server.done: // the page shows why it did not start
			return
		case <-late:
			s.t.Errorf("the server is not ready: %s", server.talk.all())
			return
		case <-time.After(10 * time.Millisecond):
		}
	}
}

func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	return port
}

func (p *pageServer) stop() {
	p.cmd.Process.Signal(os.Interrupt)
	<-p.done
}

// says waits until the server has printed what the page shows, and returns what it has printed.
func (s *pageShell) says(p *pageServer, page string) string {
	late := time.After(patience)
	for {
		text, more := p.talk.now()
		text = s.shown(text[p.read:])
		if text != "" && matches(page, text) {
			return text
		}
		select {
		case <-more:
		case <-p.done:
			return text
		case <-late:
			return text
		}
	}
}

// reads waits until a server that watches the folder of a file has said something of it.
func (s *pageShell) reads(file string, before int) {
	for _, p := range s.servers {
		for late := time.After(patience); strings.Contains(strings.Join(p.cmd.Args, " "), "--watch "+filepath.Dir(file)); {
			text, more := p.talk.now()
			if len(text) > before {
				break
			}
			select {
			case <-more:
			case <-p.done:
				return
			case <-late:
				s.t.Errorf("the server says nothing of %s", file)
				return
			}
		}
	}
}

func (o *output) all() string {
	text, _ := o.now()
	return text
}
