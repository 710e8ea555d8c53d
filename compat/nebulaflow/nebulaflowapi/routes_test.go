package nebulaflowapi_test

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/go-chi/chi/v5"
	"github.com/stepgraph/stepgraph/compat/nebulaflow/nebulaflowapi"
	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/enginetest"
	"github.com/stepgraph/stepgraph/functions"
	"github.com/stepgraph/stepgraph/functions/shell"
	"github.com/stepgraph/stepgraph/memory"
	"github.com/stepgraph/stepgraph/models"
)

// A server answers NebulaFlow's messages.
type server struct {
	t    *testing.T
	e    *engine.Engine
	url  string
	stop context.CancelFunc // as a server's shutdown does
}

func newServer(t *testing.T, model models.Func) *server {
	t.Helper()
	s := &server{t: t}
	registry := engine.NewRegistry()
	functions.Standard(registry, functions.Options{Shell: shell.Options{Allow: true, Dir: t.TempDir()}, Models: enginetest.OneModel(model)})
	store := memory.New(memory.Options{})
	if _, err := store.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	quiet := slog.New(slog.DiscardHandler)
	s.e = engine.New(store, registry, engine.Options{Log: quiet})
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.e.Run(ctx) }()
	router := chi.NewRouter()
	nebulaflowapi.Mount(router, s.e, nebulaflowapi.Options{Log: quiet, Models: func() ([]string, error) { return []string{"a/b"}, nil }})
	server := httptest.NewUnstartedServer(router)
	base, stop := context.WithCancel(context.Background())
	server.Config.BaseContext = func(net.Listener) context.Context { return base }
	server.Start()
	s.url, s.stop = server.URL+"/api/compat/nebulaflow", stop
	t.Cleanup(func() {
		stop()
		server.Close()
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return s
}

// echo answers as the recorded agents do where no stub matches.
func echo(_ context.Context, q models.Request) (models.Response, error) {
	return models.Response{Text: "echo: " + q.LastUser(), FinishReason: models.FinishStop}, nil
}

// A client is a webview.
type client struct {
	t   *testing.T
	ws  *websocket.Conn
	all []runEvent
}

// A runEvent is any message to a client.
type runEvent struct {
	Type string
	Data struct {
		NodeID, Status, Chunk, Stream, Mode, ThreadID, SubflowID string
		Result                                                   *string
		Multi                                                    []string
		Count                                                    int
		Content                                                  []struct{ Type, Text, Name, ToolUseID, ID string }
		Payload                                                  struct {
			NodeID, Status string
			Result         *string
		}
	}
	StoppedAtNodeID, Session, Status, Error, Message, RequestID, DefaultURI string
	raw                                                                     []byte
}

// is compares a message as a whole.
func (e runEvent) is(t *testing.T, want string) {
	t.Helper()
	var got any
	if err := json.Unmarshal(e.raw, &got); err != nil {
		t.Fatal(err)
	}
	var w any
	if err := json.Unmarshal([]byte(want), &w); err != nil {
		t.Fatal(err)
	}
	a, _ := json.Marshal(got)
	b, _ := json.Marshal(w)
	if !bytes.Equal(a, b) {
		t.Errorf("got  %s\nwant %s", a, b)
	}
}

func (s *server) connect(query string) *client {
	s.t.Helper()
	ws, _, err := websocket.Dial(s.t.Context(), s.url+query, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	ws.SetReadLimit(16 << 20)
	s.t.Cleanup(func() { _ = ws.CloseNow() })
	return &client{t: s.t, ws: ws}
}

// say sends a message.
func (c *client) say(kind string, data any) {
	c.t.Helper()
	text, err := json.Marshal(map[string]any{"type": kind, "data": data})
	if err != nil {
		c.t.Fatal(err)
	}
	c.sayText(string(text))
}

func (c *client) sayText(text string) {
	c.t.Helper()
	if err := c.ws.Write(c.t.Context(), websocket.MessageText, []byte(text)); err != nil {
		c.t.Fatal(err)
	}
}

// next is the next message.
func (c *client) next() runEvent {
	c.t.Helper()
	ctx, cancel := context.WithTimeout(c.t.Context(), 10*time.Second)
	defer cancel()
	_, text, err := c.ws.Read(ctx)
	if err != nil {
		c.t.Fatalf("%v, after %s", err, c.seen())
	}
	e := runEvent{raw: text}
	if err := json.Unmarshal(text, &e); err != nil {
		_ = json.Unmarshal(text, &struct{ Type *string }{&e.Type}) // its data has another shape
	}
	c.all = append(c.all, e)
	return e
}

func (c *client) seen() string {
	var lines []string
	for _, e := range c.all {
		lines = append(lines, strings.TrimSpace(string(e.raw)))
	}
	return strings.Join(lines, "\n")
}

// until reads up to a message of a type.
func (c *client) until(kind string) runEvent {
	c.t.Helper()
	for {
		if e := c.next(); e.Type == kind {
			return e
		}
	}
}

// untilNode reads up to what is told of a node.
func (c *client) untilNode(id, status string) runEvent {
	c.t.Helper()
	for {
		if e := c.until("node_execution_status"); e.Data.NodeID == id && e.Data.Status == status {
			return e
		}
	}
}

// nodes is what was told of nodes, in words.
func (c *client) nodes() []string {
	var out []string
	for _, e := range c.all {
		switch {
		case e.Type == "node_execution_status" && e.Data.Status == "running" && e.Data.Result != nil: // progress of a subflow
		case e.Type == "node_execution_status" && e.Data.Status == "completed":
			out = append(out, "completed "+e.Data.NodeID+" "+*e.Data.Result)
		case e.Type == "node_execution_status":
			out = append(out, e.Data.Status+" "+e.Data.NodeID)
		}
	}
	return out
}

// flowNode is the JSON of a node.
func flowNode(id, kind, data string) json.RawMessage {
	return json.RawMessage(`{"id":"` + id + `","type":"` + kind + `","data":` + data + `,"position":{"x":0,"y":0},"selected":true}`)
}

// lineOf is a workflow of nodes, one after the other.
func lineOf(nodes ...json.RawMessage) map[string]any {
	edges := []any{}
	id := func(n json.RawMessage) string {
		var x struct{ ID string }
		_ = json.Unmarshal(n, &x) // made by flowNode
		return x.ID
	}
	for i := 1; i < len(nodes); i++ {
		edges = append(edges, map[string]any{"id": "e" + id(nodes[i]), "source": id(nodes[i-1]), "target": id(nodes[i])})
	}
	return map[string]any{"nodes": nodes, "edges": edges}
}

func equalLines(t *testing.T, got, want []string) {
	t.Helper()
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// A workflow runs as an ordinary session, and the client is told in the order of the
// original.
func TestNebulaExecutes(t *testing.T) {
	s := newServer(t, echo)
	c := s.connect("")
	c.say("execute_workflow", lineOf(flowNode("a", "text-format", `{"content":"hi"}`), flowNode("b", "llm", `{"content":"say ${1}"}`), flowNode("p", "preview", `{}`)))
	started := c.next()
	if started.Type != "execution_started" || started.Session == "" {
		t.Fatalf("got %s", c.seen())
	}
	end := c.until("execution_completed")
	equalLines(t, c.nodes(), []string{"running a", "completed a hi", "running b", "completed b echo: say hi", "running p", "completed p echo: say hi"})
	if end.StoppedAtNodeID != "p" || end.Status != engine.StatusComplete || end.Session != started.Session {
		t.Errorf("got %s", end.raw)
	}
	session, err := s.e.Session(t.Context(), started.Session)
	if err != nil || session.Status != engine.StatusComplete || session.Labels["client"] != "nebulaflow" {
		t.Errorf("got %+v, %v", session, err)
	}
	for _, e := range c.all {
		if e.Type == "token_count" && e.Data.NodeID == "p" && e.Data.Count == len("echo: say hi") {
			return
		}
	}
	t.Errorf("no token_count in %s", c.seen())
}

// noWebSocket dials and returns how that was refused.
func (s *server) noWebSocket(header http.Header) int {
	s.t.Helper()
	ws, r, err := websocket.Dial(s.t.Context(), s.url, &websocket.DialOptions{HTTPHeader: header})
	if err == nil {
		_ = ws.CloseNow()
		s.t.Fatal("connected")
	}
	return r.StatusCode
}
