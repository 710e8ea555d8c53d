//go:build unix

package neo4jserver

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

func TestStartErrorsSayWhatToDo(t *testing.T) {
	noEngine := "echo cannot connect to the daemon >&2; exit 1"
	for name, c := range map[string]struct {
		options Options
		scripts map[string]string
		want    []string
	}{
		"nothing installed": {Options{}, nil,
			[]string{"java is not installed", "install a Java 17 runtime", "NEO4J_URI", "no Docker engine"}},
		"no engine, no java": {Options{}, map[string]string{"docker": noEngine},
			[]string{"java is not installed", "docker info", "cannot connect to the daemon"}},
		"docker forced": {Options{Kind: Docker}, map[string]string{"docker": noEngine},
			[]string{"no Docker engine", "start Docker, or set NEO4J_URI"}},
		"old java": {Options{}, map[string]string{"java": `echo 'openjdk version "1.8.0_292"' >&2`},
			[]string{"is Java 8", "install a Java 17 runtime"}},
		"java ends": {Options{}, map[string]string{"java": fakeJava("echo store is locked; exit 3")},
			[]string{"ended before it answered", "console.log", "store is locked"}},
		"java hangs": {Options{StartWithin: 300 * time.Millisecond}, map[string]string{"java": fakeJava("exec sleep 60")},
			[]string{"no answer within 300ms", "console.log", "nothing was printed"}},
		"container ends": {Options{}, map[string]string{"docker": `case $1 in run) echo bad mount >&2; exit 125;; *) echo 28;; esac`},
			[]string{"ended before it answered", "console.log", "bad mount"}},
		"image cannot be pulled": {Options{}, map[string]string{
			"docker": `case $1 in image|pull) echo no such image >&2; exit 1;; *) echo 28;; esac`},
			[]string{"docker cannot pull " + Image, "no such image", "java is not installed"}},
		"nothing existing": {Options{Kind: Existing}, nil, []string{"$NEO4J_URI is not set"}},
		"unknown kind":     {Options{Kind: "podman"}, nil, []string{`unknown kind "podman"`}},
	} {
		t.Run(name, func(t *testing.T) {
			putArtifacts(t, fakeTools(t, c.scripts))
			_, err := Start(t.Context(), c.options)
			wantError(t, err, c.want...)
		})
	}
}

func TestExistingServerThatDoesNotAnswer(t *testing.T) {
	closed, err := choosePorts(Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv(envURI, closed.server("").URI)
	ctx, cancel := context.WithTimeoutCause(t.Context(), 300*time.Millisecond, errors.New("gave up"))
	defer cancel()
	_, err = Start(ctx, Options{})
	wantError(t, err, closed.server("").URI, "from $NEO4J_URI", "gave up", "unset $NEO4J_URI")
}

// A free port may be taken before the server listens; then others are tried,
// but never in place of a port that was asked for.
func TestTakenPorts(t *testing.T) {
	tried := map[ports]bool{}
	taken := func(p ports) (*Server, error) {
		tried[p] = true
		return nil, errors.New("address 127.0.0.1 is already in use")
	}
	if _, err := startOnPorts(Options{}.withDefaults(), taken); !isPortTaken(err) {
		t.Fatal(err)
	}
	if len(tried) != portAttempts {
		t.Errorf("free ports: %d different ones tried, want %d", len(tried), portAttempts)
	}

	busy, err := listen(0)
	if err != nil {
		t.Fatal(err)
	}
	defer busy.Close()
	clear(tried)
	_, err = startOnPorts(Options{BoltPort: portOf(busy)}.withDefaults(), taken)
	wantError(t, err, "bolt port", "choose another port")
	if len(tried) != 0 {
		t.Errorf("a server was started on the taken port: %v", tried)
	}
}

// Authentication is off in the container, so its ports must be bound to
// loopback, whatever Docker's default is.
func TestDockerPublishesOnLoopbackOnly(t *testing.T) {
	arguments := dockerArguments("name", ports{bolt: 7, http: 8}, &home{dir: "/home"}, 512)
	var published []string
	for i, argument := range arguments {
		if argument == "--publish" || argument == "-p" {
			published = append(published, arguments[i+1])
		}
	}
	if want := []string{"127.0.0.1:7:7687", "127.0.0.1:8:7474"}; !slices.Equal(published, want) {
		t.Errorf("published %q, want %q", published, want)
	}
	for _, environ := range []string{"NEO4J_AUTH=none", "NEO4J_server_memory_heap_max__size=512m", "NEO4J_server_bolt_advertised__address=127.0.0.1:7"} {
		if !slices.Contains(arguments, environ) {
			t.Errorf("the container does not get %s", environ)
		}
	}
	if last := arguments[len(arguments)-1]; last != Image {
		t.Errorf("the last argument is %q, want the image", last)
	}
}

func TestJavaVersion(t *testing.T) {
	for printed, want := range map[string]int{
		`openjdk version "17.0.15" 2025-04-15`: 17,
		`java version "1.8.0_292"`:             8,
		`openjdk version "21" 2023-09-19`:      21,
		`no such thing`:                        0,
	} {
		if got := javaVersion([]byte(printed)); got != want {
			t.Errorf("%s: %d, want %d", printed, got, want)
		}
	}
}

// The log of a start that gave no server can be read where the error says.
func TestLogOfFailedStartIsKept(t *testing.T) {
	putArtifacts(t, fakeTools(t, map[string]string{"java": fakeJava("echo reason; exit 1")}))
	if _, err := Start(t.Context(), Options{Kind: Java}); err == nil {
		t.Fatal("no error")
	}
	logs, _ := filepath.Glob(filepath.Join(os.TempDir(), temporaryPattern, "logs", "console.log"))
	if len(logs) != 1 {
		t.Fatalf("logs %v, want one", logs)
	}
	if text, err := os.ReadFile(logs[0]); err != nil || string(text) != "reason\n" {
		t.Fatalf("log %q, error %v", text, err)
	}
}
