package main

import (
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/coder/websocket"
)

// A WebSocket is no longer the server's business once it is open; stopping waits for it all
// the same, so that the client is told why it ends.
func TestStoppingEndsWebSockets(t *testing.T) {
	var ended atomic.Bool
	on, err := listen("127.0.0.1:0", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ws, err := websocket.Accept(w, r, nil)
		if err != nil {
			t.Error(err)
			return
		}
		<-r.Context().Done()
		if err := ws.Close(websocket.StatusGoingAway, "stopping"); err != nil {
			t.Error(err)
		}
		ended.Store(true)
	}), nil)
	if err != nil {
		t.Fatal(err)
	}
	ws, _, err := websocket.Dial(t.Context(), strings.Replace(on.address(), "http", "ws", 1), nil)
	if err != nil {
		t.Fatal(err)
	}
	read := make(chan error, 1)
	go func() {
		_, _, err := ws.Read(t.Context())
		read <- err
	}()
	if err := on.close(); err != nil || !ended.Load() {
		t.Errorf("stopped with %v, the WebSocket has ended: %v", err, ended.Load())
	}
	if err := <-read; websocket.CloseStatus(err) != websocket.StatusGoingAway {
		t.Errorf("the client reads %v", err)
	}
}
