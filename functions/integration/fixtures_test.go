package integration_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/functions/integration"
	"github.com/stepgraph/stepgraph/internal/fixtures"
)

type graph struct {
	Nodes []struct {
		ID, Type string
		Data     map[string]json.RawMessage
	}
	Edges []struct{ Source, Target string }
}

type trace struct {
	Tools map[string][]struct{ Name, Target, Node, Integration string }
	Calls []struct {
		Trace []struct {
			Event, Call string
			Nodes       []string
			Args        json.RawMessage
			Response    json.RawMessage
			Requests    []request
		}
	}
}

type request struct{ Method, Path, Auth, Body string }

// stub answers as the fixtures say their stubs did.
type stub struct {
	got   []request
	flaky int
}

func (s *stub) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	auth := r.Header.Get("Authorization")
	if auth == "" {
		auth = r.Header.Get("X-Desk-Key")
	}
	s.got = append(s.got, request{r.Method, r.URL.RequestURI(), auth, string(body)})
	w.Header().Set("Content-Type", "application/json")
	switch r.URL.Path {
	case "/orders":
		fmt.Fprintf(w, `{"id":%q,"state":"shipped","items":[{"sku":"A1","qty":2},{"sku":"B2","qty":1}]}`, r.URL.Query().Get("order_id"))
	case "/refunds":
		w.WriteHeader(http.StatusCreated)
		fmt.Fprintf(w, `{"refund_id":"RF-1","received":%s}`, body)
	case "/text":
		w.Header().Set("Content-Type", "text/plain")
		io.WriteString(w, "plain words")
	case "/gone":
		w.WriteHeader(http.StatusNotFound)
		io.WriteString(w, `{"message":"no such order"}`)
	case "/flaky":
		if s.flaky++; s.flaky == 1 {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		fmt.Fprintf(w, `{"ok":true,"attempt":%d}`, s.flaky)
	}
}

// names are the input's fields by those of the graph.
var names = map[string]string{
	"integrationType": "type", "url": "url", "method": "method", "authType": "auth", "authToken": "auth_token", "apiHeaderName": "api_header_name",
	"headers": "headers", "body": "body", "mockOutput": "mock_output", "latency": "latency", "aiInstructions": "instructions",
}

// decided are codes in which the reference departs from what was recorded.
var decided = map[string]string{"gone_tgone": "REST_404", "nourl_tnourl": "REST_NO_URL"}

func TestRecorded(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(fixtures.Folder(t, "callcentre"), "*.graph.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no recorded graphs: %v", err)
	}
	seen := 0
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) { seen += playGraph(t, file) })
	}
	if seen < 10 {
		t.Errorf("only %d recorded results were compared", seen)
	}
}

func playGraph(t *testing.T, file string) (seen int) {
	s := &stub{}
	server := httptest.NewServer(s)
	defer server.Close()
	var g graph
	read(t, file, server.URL, &g)
	var want trace
	read(t, strings.Replace(file, ".graph.", ".expected.", 1), server.URL, &want)
	target := map[string]string{}
	for _, e := range g.Edges {
		target[e.Source] = e.Target
	}
	for _, c := range want.Calls {
		var access []string // the nodes of the newest highlight
		var sent []request
		for _, e := range c.Trace {
			switch e.Event {
			case "highlight":
				access = e.Nodes
			case "http":
				sent = e.Requests
			case "tool_result":
				if len(access) == 0 || strings.Contains(string(e.Response), `"TOOL_NOT_FOUND"`) || strings.HasPrefix(e.Call, "consult_") && !strings.HasPrefix(e.Call, "consult_plain") {
					continue
				}
				seen++
				s.got = nil
				got := play(t, g, access, e.Args)
				compare(t, e.Call, got, e.Response)
				if len(sent) > 0 && !reflect.DeepEqual(s.got, sent) {
					t.Errorf("%s sent %+v\nwant %+v", e.Call, s.got, sent)
				}
				sent = nil
			}
		}
	}
	return seen
}

func read(t *testing.T, file, stub string, into any) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(strings.ReplaceAll(string(text), "{{STUB}}", stub)), into); err != nil {
		t.Fatal(err)
	}
}

// play calls the integration among the highlighted nodes, or, without one, a tool that has
// none.
func play(t *testing.T, g graph, nodes []string, arguments json.RawMessage) map[string]any {
	t.Helper()
	in := map[string]json.RawMessage{"arguments": arguments}
	for _, n := range g.Nodes {
		if n.Type != "integrationNode" || n.ID != nodes[len(nodes)-1] {
			continue
		}
		for from, to := range names {
			if value, ok := n.Data[from]; ok {
				in[to] = value
			}
		}
	}
	text, err := json.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	out, err := integration.Spec(options()).Function.Call(function.WithCall(t.Context(), &function.Call{}), text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	var told struct {
		Text string
		Data any
	}
	if err := json.Unmarshal(out, &told); err != nil {
		t.Fatal(err)
	}
	var message struct{ Result map[string]any }
	if err := json.Unmarshal([]byte(told.Text), &message); err != nil || message.Result == nil {
		t.Fatalf("a model is told %s: %v", told.Text, err)
	}
	return message.Result
}

// compare holds a result against what was recorded, for a department or for a router. Texts
// recorded as <text> are not compared.
func compare(t *testing.T, call string, got map[string]any, response json.RawMessage) {
	t.Helper()
	var department struct{ Result map[string]any }
	var router struct {
		Success bool
		Result  json.RawMessage
	}
	if err := json.Unmarshal(response, &router); err != nil {
		t.Fatal(err)
	}
	if router.Success {
		var data any
		if err := json.Unmarshal(router.Result, &data); err != nil || !reflect.DeepEqual(got["data"], data) {
			t.Errorf("%s: data %v\nwant %s", call, got["data"], router.Result)
		}
		return
	}
	if err := json.Unmarshal(response, &department); err != nil {
		t.Fatal(err)
	}
	want := department.Result
	if code := decided[call]; code != "" {
		want["errorCode"] = code
		want["data"].(map[string]any)["errorCode"] = code
	}
	if path := unlike("", got, want); path != "" {
		t.Errorf("%s differs at %s:\n%v\nwant %v", call, path, got, want)
	}
}

// unlike is the first path at which got is not as recorded.
func unlike(path string, got, want any) string {
	if want == "<text>" {
		if text, ok := got.(string); !ok || text == "" {
			return path
		}
		return ""
	}
	object, ok := want.(map[string]any)
	if !ok {
		if reflect.DeepEqual(got, want) {
			return ""
		}
		return path + "/"
	}
	given, ok := got.(map[string]any)
	if !ok || len(given) != len(object) {
		return path + "/"
	}
	for name := range object {
		if at := unlike(path+"/"+name, given[name], object[name]); at != "" {
			return at
		}
	}
	return ""
}
