package main

import (
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"testing"

	"github.com/stepgraph/stepgraph/sqlite"
)

// A command in the first moment of dev: dev holds the store and has not written its address. The command
// finds the server, sends the folder's token to it, and to no other server.
func TestServerThatHasNotWrittenItsAddress(t *testing.T) {
	var got string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { got = r.Header.Get("Authorization") }))
	defer server.Close()
	a := &app{env: func(string) string { return "" }, dir: t.TempDir()}
	write(t, filepath.Join(a.dir, "token"), "sg_dev_1\n")
	store, err := sqlite.Open(t.Context(), a.devFile(), sqlite.Options{Exclusive: server.Listener.Addr().String()})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	if a.soonRunning(t.Context(), &reach{}) == nil || got != "Bearer sg_dev_1" {
		t.Errorf("the server got %q", got)
	}
	if sent := a.tokenFor("127.0.0.1:1", &reach{}); sent != "" {
		t.Errorf("another server gets %q", sent)
	}
}
