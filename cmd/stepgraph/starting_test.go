package main

import (
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"testing"

	"github.com/spf13/pflag"

	"github.com/stepgraph/stepgraph/sqlite"
)

// A command in the first moment of dev: dev holds the store and has not written its address. The command
// finds the server, sends the folder's token to it, and to no other server.
func TestServerThatHasNotWrittenItsAddress(t *testing.T) {
	var got string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { got = r.Header.Get("Authorization") }))
	defer server.Close()
	f := newCommandSet(&app{env: func(string) string { return "" }, dir: t.TempDir()}).session.engines
	write(t, filepath.Join(f.dir, "token"), "sg_dev_1\n")
	store, err := sqlite.Open(t.Context(), f.local.devFile(), sqlite.Options{Exclusive: server.Listener.Addr().String()})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	if f.waitForRunning(t.Context(), &engineFlags{}) == nil || got != "Bearer sg_dev_1" {
		t.Errorf("the server got %q", got)
	}
	if sent := f.tokenFor("127.0.0.1:1", &engineFlags{}); sent != "" {
		t.Errorf("another server gets %q", sent)
	}
}

// A command that names the address of a dev which is still starting waits for it, and then sends the
// token that dev has written meanwhile.
func TestNamedServerThatIsStarting(t *testing.T) {
	f := newCommandSet(&app{env: func(string) string { return "" }, dir: t.TempDir()}).session.engines
	var address, got string
	asked := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got = r.Header.Get("Authorization")
		if asked++; asked == 1 {
			write(t, filepath.Join(f.dir, "token"), "sg_dev_1\n")
			write(t, filepath.Join(f.dir, "address"), address+"\n")
			_, _ = w.Write([]byte("alive\n"))
			return
		}
		_, _ = w.Write([]byte("ok\n"))
	}))
	defer server.Close()
	address = server.URL
	s, err := f.dial(t.Context(), address, &engineFlags{settingFlags: settingFlags{on: &pflag.FlagSet{}}})
	if err != nil {
		t.Fatal(err)
	}
	if s.Local() || s.Alive(t.Context()) != nil || got != "Bearer sg_dev_1" {
		t.Errorf("the server got %q", got)
	}
}
