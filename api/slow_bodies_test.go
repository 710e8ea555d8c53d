package api

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stepgraph/stepgraph/access"
	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/memory"
)

// TestSlowBodiesOfATokenAreBounded: of the bodies that one token sends slowly some are waited
// for; the others are answered 429, and other tokens, and quick bodies of this one, go on.
func TestSlowBodiesOfATokenAreBounded(t *testing.T) {
	const more = 5
	file := newTokens(t)
	slow, other := token(t, file, access.Wish{Name: "slow", Scopes: []string{access.Answer}}), token(t, file, access.Wish{Name: "other", Scopes: []string{access.Answer}})
	handler, s := build(engine.New(memory.New(memory.Options{}), engine.NewRegistry(), engine.Options{}), Options{Tokens: file, Log: logger(&logBuffer{})})
	server := httptest.NewServer(handler)
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	answers := make(chan string, slowOfCaller+more)
	send := func(token string) net.Conn {
		conn, err := net.Dial("tcp", server.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { conn.Close() })
		fmt.Fprintf(conn, "POST /api/v1/sessions HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{", token)
		return conn
	}
	var conns []net.Conn
	for range slowOfCaller + more {
		conn := send(slow)
		conns = append(conns, conn)
		go func() {
			answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
			if err != nil {
				return // closed by the test
			}
			answers <- fmt.Sprint(answer.StatusCode, " ", answer.Header.Get("Retry-After"))
			answer.Body.Close()
		}()
	}
	for range more {
		select {
		case got := <-answers:
			if got != "429 10" {
				t.Errorf("answered %q", got)
			}
		case <-time.After(bodyTimeout - 5*time.Second): // before the bodies themselves are too late
			t.Fatal("bodies beyond the bound are waited for")
		}
	}
	counted := func(key string) int {
		s.gate.slow.mu.Lock()
		defer s.gate.slow.mu.Unlock()
		return s.gate.slow.of[key]
	}
	if n := counted("token slow"); n != slowOfCaller {
		t.Errorf("%d slow bodies are waited for, want %d", n, slowOfCaller)
	}
	for _, with := range []string{slow, other} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL+"/api/v1/sessions", strings.NewReader(`{"workflow":"none"}`))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Authorization", "Bearer "+with)
		answer, err := http.DefaultClient.Do(r)
		if err != nil || answer.StatusCode != http.StatusNotFound {
			t.Fatalf("a quick body meanwhile: %v, %v", answer, err)
		}
		answer.Body.Close()
	}
	send(other)
	waitFor(t, "the other token's slow body to count", func() bool { return counted("token other") == 1 })
	for _, conn := range conns {
		conn.Close()
	}
	waitFor(t, "the places of closed connections", func() bool { return counted("token slow") == 0 })
}

// waitFor waits until something is so.
func waitFor(t *testing.T, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); !is(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("waited in vain for %s", what)
		}
	}
}
