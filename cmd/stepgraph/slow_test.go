package main

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stepgraph/stepgraph/api"
	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/memory"
)

func serveAPI(t *testing.T, o api.Options) *listener {
	t.Helper()
	on, err := listen("127.0.0.1:0", api.New(engine.New(memory.New(memory.Options{}), engine.NewRegistry(), engine.Options{}), o), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := on.close(); err != nil {
			t.Error(err)
		}
	})
	return on
}

// A client without a token that announces a body and never sends it is answered at once, and
// its connection closed.
func TestSlowBodiesWithoutATokenHoldNoConnection(t *testing.T) {
	on := serveAPI(t, api.Options{Token: strings.Repeat("t", 32), Compat: true})
	for _, path := range []string{"/api/v1/sessions", "/api/v1/batches", "/api/v1/workflows/import", "/api/v1/eval/condition", "/api/v1/chatflows",
		"/api/v1/prediction/x", "/mcp/x", "/api/v1/mcp/x", "/api/session", "/api/flow_save"} {
		began := time.Now()
		answer, err := slowRequest(on.Addr().String(), "POST "+path, 5*time.Second)
		if err != nil || !strings.HasPrefix(answer, "HTTP/1.1 401") || time.Since(began) > 3*time.Second {
			t.Errorf("%s: after %s %q, %v", path, time.Since(began), answer, err)
		}
	}
}

// Nor do the routes that need no token wait for a body: none of them reads one.
func TestSlowBodiesOnOpenRoutesHoldNoConnection(t *testing.T) {
	on := serveAPI(t, api.Options{Token: strings.Repeat("t", 32), Compat: true, SignIn: func(string) string { return "" }})
	for _, route := range []string{"GET /healthz", "POST /readyz", "GET /", "GET /docs", "GET /api/v1/ping", "GET /api/v1/chatflows-streaming/x", "GET /sign-in", "GET /sign-in/x"} {
		began := time.Now()
		answer, err := slowRequest(on.Addr().String(), route, 5*time.Second)
		if !strings.HasPrefix(answer, "HTTP/1.1 ") || time.Since(began) > 4*time.Second {
			t.Errorf("%s: after %s %.100q, %v", route, time.Since(began), answer, err)
		}
	}
}

// slowRequest announces a body of 1,000 bytes, sends one, and reads until the server closes.
func slowRequest(address, route string, within time.Duration) (string, error) {
	conn, err := net.Dial("tcp", address)
	if err != nil {
		return "", err
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(within))
	fmt.Fprintf(conn, "%s HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{", route)
	text, err := io.ReadAll(conn)
	return string(text), err
}

// One address may hold half of the connections; others still get in.
func TestOneAddressDoesNotTakeAllConnections(t *testing.T) {
	bound, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	c := &connLimiter{Listener: bound, all: 8, each: 4, of: map[string]int{}}
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("here")) })}
	go server.Serve(c)
	defer server.Close()
	var held []net.Conn
	for range 10 { // connections that say nothing
		conn, err := net.Dial("tcp", bound.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		held = append(held, conn)
	}
	closed := 0
	for _, conn := range held {
		_ = conn.SetReadDeadline(time.Now().Add(300 * time.Millisecond))
		if _, err := conn.Read(make([]byte, 1)); err == io.EOF || strings.Contains(fmt.Sprint(err), "reset") {
			closed++
		}
	}
	if closed != 6 {
		t.Errorf("%d of 10 connections were closed, want 6", closed)
	}
	dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, 2)}}
	client := &http.Client{Transport: &http.Transport{DialContext: dialer.DialContext}}
	response, err := client.Get("http://" + bound.Addr().String())
	if err != nil {
		t.Fatalf("another address gets nothing: %v", err)
	}
	response.Body.Close()
	for _, conn := range held {
		conn.Close()
	}
	for range 100 {
		if c.mu.Lock(); c.of["127.0.0.1"] == 0 {
			c.mu.Unlock()
			return
		}
		c.mu.Unlock()
		time.Sleep(20 * time.Millisecond)
	}
	t.Error("places are not given back")
}

// What the server waits for before its store is there is for the log.
func TestWaitingTellsStrangersNothing(t *testing.T) {
	on, err := listen("127.0.0.1:0", &gate{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer on.close()
	response, err := http.Get(on.address() + "/api/v1/sessions")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusServiceUnavailable || string(text) != `{"type":"/problems/unavailable","title":"Temporarily unavailable","status":503,"detail":"starting; see the log"}`+"\n" {
		t.Errorf("%d %s, %v", response.StatusCode, text, err)
	}
}

// Off loopback a token has to be long.
func TestShortTokensAreRefusedOffLoopback(t *testing.T) {
	set := newCommandSet(&app{env: func(string) string { return "" }})
	_, err := set.serve.serve(&serveOptions{addr: "0.0.0.0:0", token: "x"})
	if err == nil || !strings.Contains(err.Error(), "at least 32") {
		t.Errorf("got %v", err)
	}
}
