package flowiseapi_test

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stepgraph/stepgraph/internal/fixtures"
)

// A rawExchange is a request to Flowise and its answer as they went over the wire.
type rawExchange struct {
	Call         string            `json:"call"`
	Request      map[string]any    `json:"request"`
	Headers      map[string]string `json:"headers"`
	Status       int               `json:"status"`
	ContentType  string            `json:"contentType"`
	Body         string            `json:"body"`
	ResponseKeys []string          `json:"responseKeys"`
	RecordKeys   []string          `json:"recordKeys"`
	Messages     []map[string]any  `json:"messages"`
	Start        map[string]any    `json:"start"` // of a flow of its own
	Reply        string            `json:"directReplyMessage"`
}

// TestFlowiseRawExchanges plays the recorded exchanges in their order.
func TestFlowiseRawExchanges(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(fixtures.Folder(t, "flowise"), "rest_api_raw.json"))
	if err != nil {
		t.Fatal(err)
	}
	var file struct{ Exchanges []rawExchange }
	if err := json.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	s := newServer(t, nil)
	chat := s.save("raw", rawFlow(map[string]any{"startInputType": "chatInput"}, "hi {{question}}"), nil)
	hook := ""
	for _, x := range file.Exchanges {
		if x.Start != nil {
			hook = s.save("hook", rawFlow(x.Start, x.Reply), nil)
		}
		t.Run(x.Call, func(t *testing.T) {
			r := s.exchange(x, chat, hook)
			r.like(t, x)
		})
	}
}

func rawFlow(start map[string]any, reply string) map[string]any {
	return flowOf([]any{flowNode("startAgentflow_0", "Start", start), flowNode("directReplyAgentflow_0", "Direct Reply 0", map[string]any{"directReplyMessage": reply})},
		flowEdge("startAgentflow_0", "startAgentflow", "directReplyAgentflow_0"))
}

// exchange sends what was sent.
func (s *server) exchange(x rawExchange, chat, hook string) reply {
	method, path, _ := strings.Cut(x.Call, " ")
	path, _, _ = strings.Cut(path, " ")
	var body any
	if x.Request != nil {
		body = x.Request
	}
	switch {
	case path == "/api/v1/chatflows":
		flow, _ := json.Marshal(greetingFlow) // plain maps
		body = map[string]any{"name": "raw", "type": "AGENTFLOW", "flowData": string(flow)}
	case path == "unknown":
		path = "/api/v1/prediction/0e1d1a2b-5c3d-4e5f-8a9b-0c1d2e3f4a5b"
	case path == "malformed":
		path = "/api/v1/prediction/no-uuid"
	case path == "with":
		path = "/api/v1/prediction/" + chat
	case path == "on":
		path = "/api/v1/webhook/" + hook
	case strings.Contains(path, "/webhook/"):
		path = strings.Replace(path, "<flow-id>", hook, 1)
	}
	var headers []string
	for name, value := range x.Headers {
		headers = append(headers, name+": "+value)
	}
	return s.do(method, strings.Replace(path, "<flow-id>", chat, 1), body, headers...)
}

var (
	anyUUID  = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|<uuid-\d+>`)
	spokenBy = regexp.MustCompile(`"(user-agent|accept-encoding|host|connection|content-length)":"[^"]*",?`) // headers of who sends
)

// frames are the parts of an answer as JSON values: of a stream the data of each message.
func frames(t *testing.T, text string) []any {
	t.Helper()
	text = spokenBy.ReplaceAllString(anyUUID.ReplaceAllString(text, "UUID"), "")
	text = strings.ReplaceAll(text, ",}", "}")
	var all []any
	for _, frame := range strings.Split(strings.TrimSpace(text), "\n\n") {
		var value any
		frame, streamed := strings.CutPrefix(strings.TrimSpace(frame), "message:\ndata:")
		if err := json.Unmarshal([]byte(frame), &value); err != nil {
			t.Fatalf("%v: %s", err, frame)
		}
		all = append(all, value)
		if streamed {
			all = append(all, "a message")
		}
	}
	return all
}

// like compares an answer with the recorded one, as far as that says.
func (r reply) like(t *testing.T, x rawExchange) {
	t.Helper()
	if x.Status != 0 && r.status != x.Status {
		t.Fatalf("status %d, want %d: %s", r.status, x.Status, r.text)
	}
	if x.ContentType != "" && r.kind != x.ContentType {
		t.Errorf("content type %q, want %q", r.kind, x.ContentType)
	}
	if x.Body != "" {
		if got, want := frames(t, r.text), frames(t, x.Body); !reflect.DeepEqual(got, want) {
			t.Errorf("got  %v\nwant %v", got, want)
		}
	}
	hasKeys(t, r.json, x.ResponseKeys)
	if list, _ := r.json["data"].([]any); x.RecordKeys != nil {
		if len(list) == 0 {
			t.Fatalf("no records: %s", r.text)
		}
		record, _ := list[0].(map[string]any)
		hasKeys(t, record, x.RecordKeys)
	}
	if x.Messages == nil {
		return
	}
	var messages []map[string]any
	if err := json.Unmarshal([]byte(r.text), &messages); err != nil || len(messages) != len(x.Messages) {
		t.Fatalf("%v: %s", err, r.text)
	}
	for i, want := range x.Messages {
		for name, value := range want {
			if got := messages[i][name]; name != "keys" && name != "executionId" && got != value {
				t.Errorf("message %d: %s is %v, want %v", i, name, got, value)
			}
		}
		keys, _ := want["keys"].([]any)
		for _, key := range keys {
			hasKeys(t, messages[i], []string{key.(string)})
		}
	}
}

func hasKeys(t *testing.T, object map[string]any, keys []string) {
	t.Helper()
	for _, key := range keys {
		if _, there := object[key]; !there {
			t.Errorf("no %s among %v", key, slices.Sorted(maps.Keys(object)))
		}
	}
}
