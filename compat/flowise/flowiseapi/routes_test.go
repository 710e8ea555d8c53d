package flowiseapi_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stepgraph/stepgraph/engine"
)

const flowise = "/api/v1/"

func (s *server) predict(flow string, body any) reply {
	s.t.Helper()
	return s.do("POST", flowise+"prediction/"+flow, body)
}

// refused checks an error as Flowise answers it.
func (r reply) refused(t *testing.T, status int, message string) {
	t.Helper()
	got, _ := r.json["message"].(string)
	if r.status != status || r.json["statusCode"] != float64(status) || r.json["success"] != false || r.json["stack"] == nil || !strings.Contains(got, message) {
		t.Errorf("got %d %s, want %d %q", r.status, r.text, status, message)
	}
}

func TestChatflowsAreKept(t *testing.T) {
	s := newServer(t, nil)
	text, _ := json.Marshal(greetingFlow)
	made := s.do("POST", flowise+"chatflows", map[string]any{"name": "greets", "type": "AGENTFLOW", "flowData": string(text), "category": "a;b", "analytic": `{"x":1}`})
	id, _ := made.json["id"].(string)
	if !regexp.MustCompile(`^[0-9a-f-]{36}$`).MatchString(id) || made.json["flowData"] != string(text) || made.json["category"] != "a;b" || made.json["apiConfig"] != nil {
		t.Fatalf("made: %s", made.text)
	}
	for _, field := range []string{"name", "flowData", "type", "workspaceId", "deployed", "isPublic", "apikeyid", "chatbotConfig", "apiConfig", "analytic", "speechToText",
		"textToSpeech", "followUpPrompts", "category", "mcpServerConfig", "webhookSecret", "webhookSecretConfigured", "id", "createdDate", "updatedDate"} {
		if _, there := made.json[field]; !there {
			t.Errorf("a chatflow has no field %s", field)
		}
	}
	if got := s.do("GET", flowise+"chatflows/"+id, nil); got.json["analytic"] != `{"x":1}` || got.json["createdDate"] != made.json["createdDate"] {
		t.Errorf("got %s", got.text)
	}
	if got := s.do("PUT", flowise+"chatflows/"+id, map[string]any{"name": "greets all"}); got.json["name"] != "greets all" || got.json["flowData"] != string(text) || got.json["id"] != id {
		t.Errorf("put: %s", got.text)
	}
	var list []map[string]any
	if err := json.Unmarshal([]byte(s.do("GET", flowise+"chatflows", nil).text), &list); err != nil || len(list) != 1 || list[0]["name"] != "greets all" {
		t.Errorf("list: %v %v", list, err)
	}
	if got := s.do("DELETE", flowise+"chatflows/"+id, nil); got.status != http.StatusOK || got.json["affected"] != 1.0 {
		t.Errorf("delete: %s", got.text)
	}
	s.do("GET", flowise+"chatflows/"+id, nil).refused(t, 404, "Chatflow "+id+" not found in the database!")
	s.predict("nonsense", map[string]any{"question": "q"}).refused(t, 400, "Invalid Chatflow ID")
	if got := s.do("GET", flowise+"ping", nil); got.text != "pong" {
		t.Errorf("ping: %s", got.text)
	}
}

// A flow that was loaded from a file is a chatflow too; other workflows are not.
func TestLoadedFlows(t *testing.T) {
	s := newServer(t, nil)
	text, _ := json.Marshal(greetingFlow)
	if r := s.do("POST", flowise+"workflows/import?workflow=hello&name=hello.json", json.RawMessage(text)); r.status != http.StatusOK {
		t.Fatalf("import: %d %s", r.status, r.text)
	}
	if _, err := s.e.PutWorkflow(t.Context(), &engine.Workflow{ID: "plain", Steps: []engine.Step{{ID: "root"}}}, ""); err != nil {
		t.Fatal(err)
	}
	if got := s.predict("hello", map[string]any{"question": "Ada"}); got.json["text"] != "Hello Ada" {
		t.Errorf("got %s", got.text)
	}
	got := s.do("GET", flowise+"chatflows/hello", nil)
	data, _ := got.json["flowData"].(string)
	if !strings.Contains(data, "directReplyAgentflow_0") {
		t.Errorf("the flow of a loaded workflow: %s", got.text)
	}
	s.predict("plain", map[string]any{"question": "Ada"}).refused(t, 400, "Invalid Chatflow ID")
}

// What somebody has changed in a workflow stands in its chatflow.
func TestEditedFlows(t *testing.T) {
	s := newServer(t, nil)
	id := s.save("greets", greetingFlow, nil)
	w, err := s.e.Workflow(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	for i := range w.Steps {
		if w.Steps[i].ID == "directReplyAgentflow_0" {
			x := 77.0
			w.Steps[i].X = &x
		}
	}
	if _, err := s.e.Put(t.Context(), w, engine.PutOptions{}); err != nil {
		t.Fatal(err)
	}
	if data := fmt.Sprint(s.do("GET", flowise+"chatflows/"+id, nil).json["flowData"]); !strings.Contains(data, "77") {
		t.Errorf("got %s", data)
	}
}

// What is edited live stands in the flow; a flow that was edited beyond what Flowise can say is
// still listed and chatted with, says what its text leaves out, and does not lose it.
func TestFlowsEditedBeyondWhatTheySay(t *testing.T) {
	s := newServer(t, nil)
	id, other := s.save("greets", greetingFlow, nil), s.save("greets too", greetingFlow, nil)
	edit := func(change func(*engine.Step)) {
		w, err := s.e.Workflow(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		change(w.Step("directReplyAgentflow_0"))
		if _, err := s.e.Put(t.Context(), w, engine.PutOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	edit(func(step *engine.Step) { step.Input = strings.Replace(step.Input, "Hello ", "Good day, ", 1) })
	if got := s.do("GET", flowise+"chatflows/"+id, nil); !strings.Contains(fmt.Sprint(got.json["flowData"]), "Good day, {{question}}") || got.json["editedBeyond"] != nil {
		t.Errorf("a changed text: %s", got.text)
	}
	edit(func(step *engine.Step) { step.Retry = `{"max_attempts": 9}` })
	var list []map[string]any
	if err := json.Unmarshal([]byte(s.do("GET", flowise+"chatflows", nil).text), &list); err != nil || len(list) != 2 {
		t.Fatalf("list: %v %v", list, err)
	}
	for _, row := range list {
		if unsaid := fmt.Sprint(row["editedBeyond"]); strings.Contains(unsaid, "its retry is") != (row["id"] == id) || !strings.Contains(fmt.Sprint(row["flowData"]), "{{question}}") {
			t.Errorf("row %v", row)
		}
	}
	for _, route := range []string{"chatflows/" + id, "public-chatbotConfig/" + id, "chatflows/" + other} {
		if got := s.do("GET", flowise+route, nil); got.status != 200 || !strings.Contains(fmt.Sprint(got.json["flowData"]), "{{question}}") {
			t.Errorf("%s: %d %s", route, got.status, got.text)
		}
	}
	if got := s.predict(id, map[string]any{"question": "Ada"}); got.json["text"] != "Good day, Ada" {
		t.Errorf("predicted %s", got.text)
	}
	s.do("PUT", flowise+"chatflows/"+id, map[string]any{"name": "greets all"}).refused(t, 409, "its retry is")
}

// A flow with faults is kept as it is; running it says what is wrong.
func TestFaultyFlows(t *testing.T) {
	s := newServer(t, nil)
	orphan := flowOf([]any{flowNode("startAgentflow_0", "Start", map[string]any{"startInputType": "chatInput"}),
		flowNode("directReplyAgentflow_0", "Reply", map[string]any{"directReplyMessage": "x"})})
	id := s.save("orphan", orphan, nil)
	s.predict(id, map[string]any{"question": "q"}).refused(t, 500, "Error: predictionsServices.buildChatflow - Multiple starting nodes are not allowed")
	text, _ := json.Marshal(greetingFlow)
	s.do("PUT", flowise+"chatflows/"+id, map[string]any{"flowData": string(text)})
	if got := s.predict(id, map[string]any{"question": "Ada"}); got.json["text"] != "Hello Ada" {
		t.Errorf("mended: %s", got.text)
	}
	s.predict(s.save("text", "no flow", nil), map[string]any{"question": "q"}).refused(t, 500, "Error: predictionsServices.buildChatflow - ")
}

// Of uploads the text of files goes along; others are refused, not dropped.
func TestUploads(t *testing.T) {
	s := newServer(t, nil)
	id := s.save("reads", flowOf([]any{
		flowNode("startAgentflow_0", "Start", map[string]any{"startInputType": "chatInput"}),
		flowNode("directReplyAgentflow_0", "Reply", map[string]any{"directReplyMessage": "{{file_attachment}}"}),
	}, flowEdge("startAgentflow_0", "startAgentflow", "directReplyAgentflow_0")), nil)
	upload := func(kind string) map[string]any {
		return map[string]any{"question": "q", "uploads": []any{map[string]any{"type": kind, "name": "a.txt", "data": "text", "mime": "text/plain"}}}
	}
	if got := s.predict(id, upload("file:full")); got.json["text"] != "<doc name='a.txt'>text</doc>" {
		t.Errorf("got %s", got.text)
	}
	s.predict(id, upload("file")).refused(t, 415, `the upload "a.txt" is of type "file": only the text of files`)
}

// A chat window sends files ahead of the question and gets their texts; what is not text is refused.
func TestAttachments(t *testing.T) {
	s := newServer(t, nil)
	id := s.save("greets", greetingFlow, nil)
	send := func(path, content string) (int, string) {
		var body bytes.Buffer
		form := multipart.NewWriter(&body)
		part, err := form.CreateFormFile("files", "a.txt")
		if err != nil {
			t.Fatal(err)
		}
		_, _ = part.Write([]byte(content))
		_ = form.WriteField("base64", "false")
		_ = form.Close()
		answer, err := http.Post(s.url+flowise+"attachments/"+path+"/chat-1", form.FormDataContentType(), &body)
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		text, _ := io.ReadAll(answer.Body)
		return answer.StatusCode, string(text)
	}
	if code, text := send(id, "héllo"); code != 200 || strings.TrimSpace(text) != `[{"name":"a.txt","mimeType":"application/octet-stream","size":6,"content":"héllo"}]` {
		t.Errorf("text: %d %s", code, text)
	}
	if code, text := send(id, "\x89PNG\xff"); code != 415 || !strings.Contains(text, `\"a.txt\"`) {
		t.Errorf("image: %d %s", code, text)
	}
	if code, _ := send("nowhere", "x"); code < 400 {
		t.Errorf("no flow: %d", code)
	}
}

func TestChatIDs(t *testing.T) {
	s := newServer(t, nil)
	id := s.save("greets", greetingFlow, nil)
	for name, c := range map[string]struct {
		body          map[string]any
		chat, session string
	}{
		"chat":             {map[string]any{"question": "q", "chatId": "c"}, "c", "c"},
		"session":          {map[string]any{"question": "q", "overrideConfig": map[string]any{"sessionId": "s"}}, "s", "s"},
		"chat and session": {map[string]any{"question": "q", "chatId": "c", "overrideConfig": map[string]any{"sessionId": "s"}}, "c", "s"},
	} {
		if got := s.predict(id, c.body); got.json["chatId"] != c.chat || got.json["sessionId"] != c.session {
			t.Errorf("%s: %s", name, got.text)
		}
	}
	got := s.predict(id, map[string]any{"question": "q"})
	if chat, _ := got.json["chatId"].(string); len(chat) != 36 || got.json["sessionId"] != chat {
		t.Errorf("neither: %s", got.text)
	}
}

// A conversation goes on where its newest session stood, however many there are, also when two
// begin at once.
func TestConversations(t *testing.T) {
	s := newServer(t, nil)
	id := s.save("counts", flowOf([]any{
		flowNode("startAgentflow_0", "Start", map[string]any{"startInputType": "chatInput", "startPersistState": true, "startState": []any{map[string]any{"key": "n", "value": "0"}}}),
		flowNode("customFunctionAgentflow_0", "Count", map[string]any{"customFunctionJavascriptFunction": "return String(Number($flow.state.n) + 1)",
			"customFunctionUpdateState": []any{map[string]any{"key": "n", "value": "{{ output }}"}}}),
	}, flowEdge("startAgentflow_0", "startAgentflow", "customFunctionAgentflow_0")), nil)
	for i := range 12 {
		if got := s.predict(id, map[string]any{"question": "q", "chatId": "c"}); got.json["text"] != fmt.Sprint(i+1) {
			t.Fatalf("turn %d: %s", i+1, got.text)
		}
	}
	if got := s.predict(id, map[string]any{"question": "q", "chatId": "other"}); got.json["text"] != "1" {
		t.Errorf("another chat: %s", got.text)
	}
	const together = 4
	answers := make(chan reply, together)
	for range together {
		go func() { answers <- s.predict(id, map[string]any{"question": "q", "chatId": "c"}) }()
	}
	for range together {
		if got := <-answers; got.status != http.StatusOK {
			t.Errorf("together: %d %s", got.status, got.text)
		}
	}
	if list := s.do("GET", flowise+"executions?sessionId=c&agentflowId="+id, nil); list.json["total"] != 16.0 {
		t.Errorf("executions: %v", list.json["total"])
	}
}

// A run that does not wait cannot be gone on with, nor a node that is not there.
func TestHumanInputErrors(t *testing.T) {
	s := newServer(t, nil)
	id := s.save("asks", askingFlow, nil)
	answer := func(chat string, input map[string]any) reply {
		return s.predict(id, map[string]any{"chatId": chat, "humanInput": input})
	}
	proceed := map[string]any{"type": "proceed"}
	answer("nobody", proceed).refused(t, 500, "No previous execution found for session nobody")
	asked := s.predict(id, map[string]any{"question": "go", "chatId": "c"})
	answer("c", map[string]any{"type": "proceed", "startNodeId": "none_0"}).refused(t, 500,
		"Node none_0 not found in previous execution. This could indicate an invalid resume attempt or a modified flow.")
	if got := answer("c", map[string]any{"type": "proceed", "startNodeId": "humanInputAgentflow_0"}); got.json["text"] != "sent" || got.json["executionId"] != asked.json["executionId"] {
		t.Errorf("got %s", got.text)
	}
	answer("c", proceed).refused(t, 500, fmt.Sprintf("Cannot resume execution %v because it is in 'FINISHED' state.", asked.json["executionId"]))
}

func TestExecutions(t *testing.T) {
	s := newServer(t, nil)
	id, other := s.save("asks", askingFlow, nil), s.save("greets", greetingFlow, nil)
	for i := range 3 {
		s.predict(id, map[string]any{"question": "go", "chatId": fmt.Sprint("c", i)})
	}
	s.predict(id, map[string]any{"chatId": "c0", "humanInput": map[string]any{"type": "proceed"}})
	last := s.predict(other, map[string]any{"question": "go", "chatId": "c0"})
	for query, want := range map[string]int{"agentflowId=" + id: 3, "agentflowId=" + id + "&state=STOPPED": 2, "sessionId=c0": 2, "state=ERROR": 0, "": 4} {
		got := s.do("GET", flowise+"executions?limit=2&"+query, nil)
		data, _ := got.json["data"].([]any)
		if got.json["total"] != float64(want) || len(data) != min(want, 2) {
			t.Errorf("%s: %s", query, got.text)
		}
	}
	second := s.do("GET", flowise+"executions?limit=2&page=2&agentflowId="+id, nil)
	if data, _ := second.json["data"].([]any); len(data) != 1 {
		t.Errorf("second page: %s", second.text)
	}
	record := s.do("GET", fmt.Sprint(flowise, "executions/", last.json["executionId"]), nil)
	var entries []any
	if err := json.Unmarshal([]byte(fmt.Sprint(record.json["executionData"])), &entries); err != nil || len(entries) != 2 || record.json["state"] != "FINISHED" ||
		record.json["agentflowId"] != other || record.json["sessionId"] != "c0" {
		t.Errorf("record: %s", record.text)
	}
	s.do("GET", flowise+"executions/none", nil).refused(t, 404, "Execution none not found")
}

// heldFlow asks the model of the stub.
func (s *server) heldFlow() string {
	return s.save("held", flowOf([]any{
		flowNode("startAgentflow_0", "Start", map[string]any{"startInputType": "chatInput"}),
		flowNode("httpAgentflow_0", "Slow", map[string]any{"method": "GET", "url": "http://127.0.0.1:" + s.stubs.port + "/http/held"}),
	}, flowEdge("startAgentflow_0", "startAgentflow", "httpAgentflow_0")), nil)
}

// A chat that is aborted ends at once; who waits for it is told.
func TestAbort(t *testing.T) {
	s := newServer(t, nil)
	id := s.heldFlow()
	answered := make(chan reply, 1)
	go func() { answered <- s.predict(id, map[string]any{"question": "q", "chatId": "c"}) }()
	select {
	case <-s.stubs.held:
	case <-time.After(10 * time.Second):
		t.Fatal("the flow did not come to its call")
	}
	if got := s.do("PUT", flowise+"chatmessage/abort/"+id+"/c", nil); got.json["message"] != "Chat message aborted" {
		t.Errorf("abort: %s", got.text)
	}
	got := <-answered
	got.refused(t, 500, "Flow execution was cancelled")
	list := s.do("GET", flowise+"executions?state=TERMINATED&agentflowId="+id, nil)
	if list.json["total"] != 1.0 || !strings.Contains(list.text, "TERMINATED") {
		t.Errorf("executions: %s", list.text)
	}
}

// hookFlow begins with a webhook.
func hookFlow(inputs map[string]any) map[string]any {
	in := map[string]any{"startInputType": "webhookTrigger", "webhookMethod": "POST", "webhookContentType": "application/json", "webhookInputMode": "text",
		"webhookDefaultInput": "Q={{ $webhook.body.q }} H={{ $webhook.headers.x-test }} Z={{ $webhook.query.z }}"}
	for name, value := range inputs {
		in[name] = value
	}
	return flowOf([]any{flowNode("startAgentflow_0", "Start", in),
		flowNode("directReplyAgentflow_0", "Reply", map[string]any{
			"directReplyMessage": "{{question}} | {{$webhook.body.q}} | {{$webhook.body.nope}} | {{startAgentflow_0.output.webhook.body.q}}"}),
	}, flowEdge("startAgentflow_0", "startAgentflow", "directReplyAgentflow_0"))
}

func TestWebhooks(t *testing.T) {
	s := newServer(t, nil)
	id := s.save("hook", hookFlow(nil), nil)
	got := s.do("POST", flowise+"webhook/"+id+"?z=9", map[string]any{"q": "one"}, "X-Test: hv", "Authorization: Bearer mine")
	if got.json["text"] != "Q=one H=hv Z=9 | one | {{$webhook.body.nope}} | one" || got.json["question"] != "Q=one H=hv Z=9" {
		t.Errorf("got %s", got.text)
	}
	if strings.Contains(got.text, "mine") {
		t.Error("a flow sees the caller's key")
	}
	s.do("GET", flowise+"webhook/"+id, nil).refused(t, 405, "Method GET not allowed. Expected POST")
	s.do("POST", flowise+"webhook/"+id, map[string]any{}, "Content-Type: text/plain").refused(t, 415, "Content-Type text/plain not allowed. Expected application/json")
	s.predict(id, map[string]any{"question": "q"}).refused(t, 500, "This flow is configured as a Webhook Trigger. Call POST /api/v1/webhook/"+id+" instead of the prediction API.")
	s.do("POST", flowise+"webhook/"+s.save("greets", greetingFlow, nil), map[string]any{}).refused(t, 404, "is not configured as a webhook trigger")

	strict := s.save("strict", hookFlow(map[string]any{"webhookResponseMode": "async",
		"webhookBodyParams": []any{map[string]any{"name": "q", "type": "string", "required": true}, map[string]any{"name": "n", "type": "number"}}}), nil)
	s.do("POST", flowise+"webhook/"+strict, map[string]any{"n": 1}).refused(t, 400, "Missing required webhook body parameters: q")
	s.do("POST", flowise+"webhook/"+strict, map[string]any{"q": "x", "n": "1"}).refused(t, 400, "Invalid type for parameter(s): n")
	if got := s.do("POST", flowise+"webhook/"+strict, map[string]any{"q": "x", "chatId": "c"}); got.status != http.StatusAccepted || got.json["chatId"] != "c" || got.json["status"] != "PROCESSING" {
		t.Errorf("async: %d %s", got.status, got.text)
	}
}

// A webhook that asks for a signature runs for nobody else.
func TestSignedWebhooks(t *testing.T) {
	s := newServer(t, nil)
	text, _ := json.Marshal(hookFlow(map[string]any{"webhookEnableAuth": true, "webhookSignatureHeader": "X-Sign", "webhookSignatureType": "hmac-sha256"}))
	row := map[string]any{"name": "signed", "flowData": string(text)}
	id := fmt.Sprint(s.do("POST", flowise+"chatflows", row).json["id"])
	s.do("POST", flowise+"webhook/"+id, json.RawMessage(`{"q":"one"}`), "X-Sign: x").refused(t, 401, "secret")
	s.do("PUT", flowise+"chatflows/"+id, map[string]any{"webhookSecret": "s3cret"})
	s.do("POST", flowise+"webhook/"+id, json.RawMessage(`{"q":"one"}`), "X-Sign: x").refused(t, 401, "Invalid webhook signature")
	// echo -n '{"q":"one"}' | openssl dgst -sha256 -hmac s3cret
	got := s.do("POST", flowise+"webhook/"+id, json.RawMessage(`{"q":"one"}`), "X-Sign: sha256=b1050990fb1ec6941686d46964301013aa440ca047aa4055b22cb905f058ab4e")
	if got.status != http.StatusOK {
		t.Errorf("signed: %d %s", got.status, got.text)
	}
}

// Inputs of nodes are overridden for one request, where the chatflow allows it, and variants
// are no chatflows of their own.
func TestOverrides(t *testing.T) {
	s := newServer(t, nil)
	allowed := map[string]any{"overrideConfig": map[string]any{"status": true, "variables": []any{},
		"nodes": map[string]any{"Greeting": []any{map[string]any{"name": "directReplyMessage", "enabled": true}}}}}
	open, closed := s.save("open", greetingFlow, allowed), s.save("closed", greetingFlow, nil)
	override := func(value any) map[string]any {
		return map[string]any{"question": "Ada", "overrideConfig": map[string]any{"directReplyMessage": value}}
	}
	for _, c := range []struct {
		flow, want string
		value      any
	}{
		{open, "Bye Ada", "Bye {{question}}"},
		{open, "Bye Ada", map[string]any{"directReplyAgentflow_0": "Bye {{question}}"}},
		{open, "Hello Ada", map[string]any{"directReplyAgentflow_1": "Bye {{question}}"}},
		{closed, "Hello Ada", "Bye {{question}}"},
	} {
		if got := s.predict(c.flow, override(c.value)); got.json["text"] != c.want {
			t.Errorf("%v: %s", c.value, got.text)
		}
	}
	if got := s.predict(open, map[string]any{"question": "Ada"}); got.json["text"] != "Hello Ada" {
		t.Errorf("afterwards: %s", got.text)
	}
	var list []any
	if err := json.Unmarshal([]byte(s.do("GET", flowise+"chatflows", nil).text), &list); err != nil || len(list) != 2 {
		t.Errorf("list: %v %v", list, err)
	}
	for i := range 70 {
		s.predict(open, override(fmt.Sprint("Bye ", i, " {{question}}")))
	}
	if all, err := s.e.Workflows(context.Background()); err != nil || len(all) > 2+65 {
		t.Errorf("%d workflows, %v", len(all), err)
	}
	if runs := s.do("GET", flowise+"executions?limit=100&agentflowId="+open, nil); runs.json["total"] != 74.0 || strings.Count(runs.text, "Bye") < 72 {
		t.Errorf("executions: %d %v", runs.status, runs.json["total"])
	}
	s.do("DELETE", flowise+"chatflows/"+open, nil)
	if all, err := s.e.Workflows(context.Background()); err != nil || len(all) != 1 {
		t.Errorf("workflows: %v %v", all, err)
	}
}

// A long answer is whole, though the history keeps only its beginning.
func TestLongAnswers(t *testing.T) {
	s := newServer(t, nil)
	long := strings.Repeat("abcdefghij", 10_000)
	got := s.predict(s.save("greets", greetingFlow, nil), map[string]any{"question": long})
	if got.json["text"] != "Hello "+long {
		t.Errorf("%d bytes of text", len(fmt.Sprint(got.json["text"])))
	}
}
