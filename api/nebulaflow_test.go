package api

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/coder/websocket"
)

// NebulaFlow's WebSocket takes the token as every route does, and works below a prefix.
func TestNebulaFlowSocket(t *testing.T) {
	w := newWorld(t, Options{Token: "secret", Compat: true})
	server := httptest.NewServer(http.StripPrefix("/below", New(w.engine, Options{Token: "secret", Compat: true})))
	defer server.Close()
	connect := func(url string, header http.Header) (int, *websocket.Conn) {
		t.Helper()
		ws, r, err := websocket.Dial(t.Context(), url+"/api/compat/nebulaflow", &websocket.DialOptions{HTTPHeader: header})
		if r == nil {
			t.Fatal(err)
		}
		return r.StatusCode, ws
	}
	for want, headers := range map[int][]http.Header{
		http.StatusUnauthorized:       {{}, {"Authorization": {"Bearer wrong"}}, {"X-Api-Key": {"wrong"}}, {"Sec-Websocket-Protocol": {"secret"}}},
		http.StatusSwitchingProtocols: {{"Authorization": {"Bearer secret"}}, {"X-Api-Key": {"secret"}}, {"Authorization": {"Basic " + basic("x:secret")}}},
	} {
		for _, header := range headers {
			for _, url := range []string{w.server.URL, server.URL + "/below"} {
				got, ws := connect(url, header)
				if got != want {
					t.Errorf("%s with %v: status %d, want %d", url, header, got, want)
				}
				if ws == nil {
					continue
				}
				if err := ws.Write(t.Context(), websocket.MessageText, []byte(`{"type":"get_models"}`)); err != nil {
					t.Fatal(err)
				}
				if _, text, err := ws.Read(t.Context()); err != nil || !strings.Contains(string(text), "models_loaded") {
					t.Errorf("got %s, %v", text, err)
				}
				if err := ws.Close(websocket.StatusNormalClosure, ""); err != nil {
					t.Error(err)
				}
			}
		}
	}
	if got := w.do("GET", "/api/compat/nebulaflow?token=secret", nil); got.status != http.StatusUnauthorized {
		t.Errorf("a token in the address is answered with %d", got.status)
	}
}

// What became a WebSocket is counted as such; an early hint is not an answer.
func TestSwitchingIsSeen(t *testing.T) {
	seen := &statusWriter{ResponseWriter: httptest.NewRecorder()}
	seen.WriteHeader(http.StatusEarlyHints)
	if seen.status != 0 {
		t.Errorf("a hint counts as %d", seen.status)
	}
	seen.WriteHeader(http.StatusSwitchingProtocols)
	if seen.statusOr200() != http.StatusSwitchingProtocols {
		t.Errorf("counted as %d", seen.statusOr200())
	}
}
