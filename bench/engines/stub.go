package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

// function is the one function of the workflows here. Its input says how long a call takes.
const function = "bench.call"

// A stub serves the function and notes when each session called last.
type stub struct {
	server *httptest.Server

	mu    sync.Mutex
	calls map[string]time.Time // by session
}

func (s *stub) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	began := time.Now()
	var call struct {
		Session string
		Input   struct {
			MS  int    `json:"ms"`
			Say string `json:"say"`
		}
	}
	if err := json.NewDecoder(r.Body).Decode(&call); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	s.mu.Lock()
	s.calls[call.Session] = began
	s.mu.Unlock()
	select {
	case <-time.After(time.Duration(call.Input.MS) * time.Millisecond):
	case <-r.Context().Done():
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]any{"output": map[string]any{"ok": true}, "say": call.Input.Say}) // the engine has gone
}

// calledAfter returns when each of the sessions that called after a time did so last.
func (s *stub) calledAfter(sessions []string, after time.Time) map[string]time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	called := map[string]time.Time{}
	for _, id := range sessions {
		if at := s.calls[id]; at.After(after) {
			called[id] = at
		}
	}
	return called
}

// serveStub starts the functions' server and the NATS server.
func (b *bench) serveStub() (stop func(), err error) {
	n, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: server.RANDOM_PORT, NoSigs: true, NoLog: true})
	if err != nil {
		return nil, fmt.Errorf("NATS server: %w", err)
	}
	n.Start()
	if !n.ReadyForConnections(10 * time.Second) {
		n.Shutdown()
		return nil, errors.New("the NATS server does not come up")
	}
	b.nats = n.ClientURL()
	b.stub = &stub{calls: map[string]time.Time{}}
	b.stub.server = httptest.NewServer(b.stub)
	return func() {
		b.stub.server.CloseClientConnections()
		b.stub.server.Close()
		n.Shutdown()
		n.WaitForShutdown()
	}, nil
}
