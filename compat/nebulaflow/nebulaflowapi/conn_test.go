package nebulaflowapi_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/coder/websocket"
)

// A page of another origin is refused; a client without Origin is not.
func TestNebulaOrigins(t *testing.T) {
	s := newServer(t, echo)
	if got := s.noWebSocket(http.Header{"Origin": {"https://evil.example"}}); got != http.StatusForbidden {
		t.Errorf("status %d", got)
	}
	ws, _, err := websocket.Dial(t.Context(), s.url, &websocket.DialOptions{HTTPHeader: http.Header{"Origin": {strings.TrimSuffix(s.url, "/api/compat/nebulaflow")}}})
	if err != nil {
		t.Fatal(err)
	}
	_ = ws.CloseNow()
}

// A message beyond the limit ends the connection, and the server's end does so with a word.
func TestNebulaEndsOfConnections(t *testing.T) {
	s := newServer(t, echo)
	c := s.connect("")
	// the server may have closed before all is written, and the close frame be lost with the rest
	_ = c.ws.Write(t.Context(), websocket.MessageText, []byte(`{"type":"get_models","data":"`+strings.Repeat("x", 5<<20)+`"}`))
	if _, text, err := c.ws.Read(t.Context()); err == nil || websocket.CloseStatus(err) != -1 && websocket.CloseStatus(err) != websocket.StatusMessageTooBig {
		t.Errorf("got %s, %v", text, err)
	}
	c = s.connect("")
	c.say("get_models", nil)
	c.until("models_loaded")
	s.stop()
	_, _, err := c.ws.Read(t.Context())
	var end websocket.CloseError
	if !errors.As(err, &end) || end.Code != websocket.StatusGoingAway || end.Reason == "" {
		t.Errorf("got %v", err)
	}
}

// Whatever is wrong with a message is said, and the connection stays.
func TestNebulaRubbish(t *testing.T) {
	s := newServer(t, echo)
	c := s.connect("")
	for message, want := range map[string]string{
		`{`:                           "not a JSON object",
		`[1]`:                         "not a JSON object",
		`{"type":7}`:                  "type: want a text, not number",
		`{"type":"format_disk"}`:      `no message "format_disk"`,
		`{"type":"execute_workflow"}`: "execute_workflow: data is missing",
		`{"type":"execute_workflow","data":{"nodes":{}}}`:                                                         "data.nodes: want a list, not object",
		`{"type":"execute_workflow","data":{"nodes":[]}}`:                                                         "want data.nodes and data.edges",
		`{"type":"execute_workflow","data":{"nodes":[{"id":"a","type":"llm","data":{}}],"edges":[]}}`:             "data.nodes.0.position",
		`{"type":"execute_workflow","data":{"nodes":[],"edges":[{"id":"e","source":"a"}]}}`:                       "data.edges.0.target is missing",
		`{"type":"execute_workflow","data":{"nodes":[],"edges":[],"resume":{"seeds":{"outputs":{"a":1}}}}}`:       "want a text, not number",
		`{"type":"save_workflow","data":{"nodes":[],"edges":[],"state":{"nodeResults":{"a":{"status":"odd"}}}}}`:  "data.state.nodeResults.a",
		`{"type":"execute_node","data":{"inputs":[]}}`:                                                            "data.node is missing",
		`{"type":"node_approved","data":{}}`:                                                                      "data.nodeId is missing",
		`{"type":"node_approved","data":{"nodeId":"a"}}`:                                                          "no approval is waited for at node a",
		`{"type":"abort_workflow"}`:                                                                               "nothing runs",
		`{"type":"follow_execution","data":{"session":"no"}}`:                                                     "there is no session no",
		`{"type":"bridge:dialog_result","requestId":"9"}`:                                                         "nothing was asked",
		`{"type":"load_workflow","data":{"name":"none"}}`:                                                         "there is no flow none",
		`{"type":"get_subflow","data":{"id":"none"}}`:                                                             "Subflow not found: none",
		`{"type":"create_subflow","data":{"id":"x"}}`:                                                             "want id, title and version",
		`{"type":"save_customNode","data":{"id":"n","type":"zzz","data":{"title":"t"},"position":{"x":0,"y":0}}}`: "no nodes of type zzz",
		`{"type":"delete_customNode","data":"none"}`:                                                              "there is no custom node none",
		`{"type":"open_external_link","url":"file:///etc/passwd"}`:                                                "only addresses",
	} {
		c.sayText(message)
		if e := c.next(); e.Type != "bridge:show_error" || !strings.Contains(e.Message, want) {
			t.Errorf("%s: got %s, want %s", message, e.raw, want)
		}
	}
	if err := c.ws.Write(t.Context(), websocket.MessageBinary, []byte(`{"type":"get_models"}`)); err != nil {
		t.Fatal(err)
	}
	if e := c.next(); e.Type != "bridge:show_error" {
		t.Errorf("got %s", e.raw)
	}
	c.say("get_models", nil)
	c.next().is(t, `{"type":"models_loaded","data":[{"id":"a/b","title":"a/b"}]}`)
}
