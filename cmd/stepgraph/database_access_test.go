package main

import (
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"github.com/stepgraph/stepgraph/functions/netguard"
)

// TestStepsDoNotCallTheDatabase: an address of the store, and the HTTP interface beside it, is
// refused whatever --allow-net opens.
func TestStepsDoNotCallTheDatabase(t *testing.T) {
	database := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	t.Cleanup(database.Close)
	port := database.Listener.Addr().(*net.TCPAddr).Port
	client := &http.Client{Transport: netguard.Guarded([]netguard.Rule{{Prefix: netip.MustParsePrefix("127.0.0.0/8")}})}
	call := func() error {
		answer, err := client.Get(database.URL)
		client.CloseIdleConnections()
		if err == nil {
			answer.Body.Close()
		}
		return err
	}
	bolt := "bolt://localhost:" + strings.TrimPrefix(database.URL, "http://127.0.0.1:")
	for _, address := range []string{bolt, database.URL + "/browser/"} {
		if err := call(); err != nil {
			t.Fatalf("the test finds no server on port %d: %v", port, err)
		}
		release := denyDatabase(t.Context(), address)
		if err := call(); netguard.Refusal(err) == nil {
			t.Errorf("%s: the call got %v", address, err)
		}
		release()
	}
	for _, address := range []string{"sqlite:x.db", "memory", ""} {
		if at := databaseAddresses(t.Context(), address); len(at) != 0 {
			t.Errorf("%s: %v", address, at)
		}
	}
	var ports []string
	for _, at := range databaseAddresses(t.Context(), "neo4j://192.0.2.7") {
		ports = append(ports, at.String())
	}
	if got := strings.Join(ports, " "); got != "192.0.2.7:7687 192.0.2.7:7474 192.0.2.7:7473" {
		t.Errorf("the addresses of a database are %s", got)
	}
}
