//go:build unix

package neo4jserver_test

import (
	"context"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"github.com/stepgraph/stepgraph/cypher/neo4jserver"
	"github.com/stepgraph/stepgraph/cypher/neo4jtest"
)

// The whole life of a server that runs from the Java artifacts: everything
// acknowledged survives a clean restart and a crash, and no process is left.
func TestJavaServerKeepsWhatItAcknowledged(t *testing.T) {
	options := neo4jserver.Options{Kind: neo4jserver.Java, Dir: t.TempDir(), HeapMB: 512}
	server := neo4jtest.Own(t, options)
	wantBrowserForItsOwnOriginOnly(t, server)
	if second, err := neo4jserver.Start(t.Context(), options); err == nil {
		second.Stop(t.Context())
		t.Fatal("a second server was started on the same home")
	}
	write(t, server, "before restart")

	first := wantRunning(t, server)
	if err := server.Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
	wantGone(t, first)
	wantNames(t, server, "before restart")
	write(t, server, "before kill")

	second := wantRunning(t, server)
	if err := server.Kill(); err != nil {
		t.Fatal(err)
	}
	wantGone(t, second)
	if pid := server.Pid(); pid != 0 {
		t.Fatalf("process id %d after Kill", pid)
	}
	if err := server.Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
	wantNames(t, server, "before kill", "before restart")

	third := wantRunning(t, server)
	if err := server.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	wantGone(t, third)
	if _, err := os.Stat(filepath.Join(options.Dir, "data", "databases", "neo4j")); err != nil {
		t.Fatalf("the data of a named home: %v", err)
	}
	if err := server.Restart(t.Context()); err == nil {
		t.Fatal("Restart after Stop gave no error")
	}
}

// What tests share can be used by a driver made from the environment alone.
func TestSharedServerIsFoundThroughItsEnvironment(t *testing.T) {
	shared := neo4jtest.URI(t)
	for _, variable := range shared.Environ() {
		key, value, _ := strings.Cut(variable, "=")
		t.Setenv(key, value)
	}
	found, err := neo4jserver.Start(t.Context(), neo4jserver.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if found.Kind != neo4jserver.Existing || found.URI != shared.URI || found.BrowserURL != shared.BrowserURL {
		t.Fatalf("found %+v, want the shared server %+v", found, shared)
	}
	if err := found.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	for name, err := range map[string]error{"Kill": found.Kill(), "Restart": found.Restart(t.Context())} {
		if !errors.Is(err, neo4jserver.ErrNotOurs) {
			t.Errorf("%s on an existing server: %v, want ErrNotOurs", name, err)
		}
	}
	query(t, &shared, "RETURN 1", nil) // Stop left it alone
}

func TestMain(m *testing.M) { neo4jtest.Main(m) }

func write(t *testing.T, server *neo4jserver.Server, name string) {
	t.Helper()
	query(t, server, "CREATE (:WRITTEN {name: $name})", map[string]any{"name": name})
}

func wantNames(t *testing.T, server *neo4jserver.Server, want ...string) {
	t.Helper()
	result := query(t, server, "MATCH (w:WRITTEN) RETURN w.name AS name ORDER BY name", nil)
	var names []string
	for _, record := range result.Records {
		names = append(names, record.AsMap()["name"].(string))
	}
	if !slices.Equal(names, want) {
		t.Fatalf("names %q, want %q", names, want)
	}
}

func query(t *testing.T, server *neo4jserver.Server, text string, parameters map[string]any) *neo4j.EagerResult {
	t.Helper()
	driver, err := server.Driver()
	if err != nil {
		t.Fatal(err)
	}
	defer driver.Close(context.Background())
	result, err := neo4j.ExecuteQuery(t.Context(), driver, text, parameters, neo4j.EagerResultTransformer,
		neo4j.ExecuteQueryWithDatabase(server.Database))
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// wantBrowserForItsOwnOriginOnly looks at the page and at the HTTP API beside
// it, which with authentication off must not serve other web sites.
func wantBrowserForItsOwnOriginOnly(t *testing.T, server *neo4jserver.Server) {
	t.Helper()
	if response := get(t, server.BrowserURL); response.StatusCode != http.StatusOK {
		t.Fatalf("GET %s: %s", server.BrowserURL, response.Status)
	}
	api := get(t, server.BrowserURL+"../")
	own := strings.TrimSuffix(server.BrowserURL, "/browser/")
	if origin := api.Header.Get("Access-Control-Allow-Origin"); origin != own {
		t.Fatalf("the HTTP API serves origin %q, want %q alone", origin, own)
	}
}

func get(t *testing.T, url string) *http.Response {
	t.Helper()
	response, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	return response
}

func wantRunning(t *testing.T, server *neo4jserver.Server) (pid int) {
	t.Helper()
	pid = server.Pid()
	if pid == 0 || syscall.Kill(pid, 0) != nil {
		t.Fatalf("process %d does not run", pid)
	}
	return pid
}

func wantGone(t *testing.T, pid int) {
	t.Helper()
	if err := syscall.Kill(pid, 0); !errors.Is(err, syscall.ESRCH) {
		t.Fatalf("process %d is still there (%v)", pid, err)
	}
}
