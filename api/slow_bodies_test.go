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

// TestLargeBodiesAreBounded: while the large bodies of a token take its half of the memory for them,
// another one of it is answered 429; its small ones, and large ones of another token, go on.
func TestLargeBodiesAreBounded(t *testing.T) {
	const part = 400 << 10
	file := newTokens(t)
	first, other := token(t, file, access.Wish{Name: "first", Scopes: []string{access.Operate}}), token(t, file, access.Wish{Name: "other", Scopes: []string{access.Operate}})
	handler, s := build(engine.New(memory.New(memory.Options{}), engine.NewRegistry(), engine.Options{}), Options{Tokens: file, Log: logger(&logBuffer{})})
	s.gate.slow.room = 1 << 20
	server := httptest.NewServer(handler)
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	held := func() int64 {
		s.gate.slow.mu.Lock()
		defer s.gate.slow.mu.Unlock()
		return s.gate.slow.all
	}
	until := func(what string, ok func() bool) {
		t.Helper()
		for end := time.Now().Add(time.Minute); !ok(); time.Sleep(time.Millisecond) {
			if time.Now().After(end) {
				t.Fatal(what)
			}
		}
	}
	items := strings.Repeat(`{"session":"none","step":"`+strings.Repeat("x", 1000)+`"}`+"\n", part/1000)
	conn, err := net.Dial("tcp", server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprintf(conn, "POST /api/v1/batches?action=cancel HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\nContent-Type: application/x-ndjson\r\nContent-Length: %d\r\n\r\n%s", first, 2*len(items), items)
	// All that the client has sent: if the first body were still growing, it could be the one that is refused.
	until("the first body is not counted", func() bool { return held() >= int64(len(items))-smallBody })
	send := func(token, body string) string {
		t.Helper()
		request, err := http.NewRequestWithContext(t.Context(), "POST", server.URL+"/api/v1/batches?action=cancel", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Authorization", "Bearer "+token)
		request.Header.Set("Content-Type", "application/x-ndjson")
		answer, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		return fmt.Sprint(answer.StatusCode, " ", answer.Header.Get("Retry-After"))
	}
	for _, c := range []struct{ what, token, body, want string }{
		{"a second large one", first, items, "429 5"},
		{"a small one", first, `{"session":"none"}`, "202 "},
		{"another token's", other, items, "202 "},
	} {
		if got := send(c.token, c.body); got != c.want {
			t.Errorf("%s: answered %q, want %q", c.what, got, c.want)
		}
	}
	conn.Close()
	until("the room is not given back", func() bool { return held() == 0 })
	if got := send(first, items); got != "202 " {
		t.Errorf("when there is room again: %q", got)
	}
}

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
