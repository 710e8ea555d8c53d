package api

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/stepgraph/stepgraph/engine"
)

func TestPutWorkflow(t *testing.T) {
	w := newWorld(t, Options{})
	path := "/api/v1/workflows/fresh"
	body := `{"name": "Fresh", "settings": {"max_steps": 5, "mine": [1]}, "extra": {"owner": "me", "count": 3},
		"steps": [{"id": "root", "function": "say", "input": {"message": "hi"}, "timeout": 5, "extra": {"level": 2}}, {"id": "b"}],
		"paths": [{"source": "root", "target": "b", "condition": ["@{SESSION_ID}.root.message", 1], "priority": 1}, {"id": "named", "source": "root", "target": "b"}]}`
	made := w.do("PUT", path, body).want(201).is("[b root]", "steps", "added").is("[root>b named]", "paths", "added").is("fresh", "workflow")
	got := w.do("GET", path, nil).want(200).is("Fresh", "name").is(`{"message":"hi"}`, "steps", 1, "input").is("5", "steps", 1, "timeout").
		is(2, "steps", 1, "extra", "level").is(5, "settings", "max_steps").is("root>b", "paths", 0, "id").is("named", "paths", 1, "id")
	if tag := got.header.Get("ETag"); tag == "" || tag != made.header.Get("ETag") {
		t.Errorf("ETag %s, then %s", made.header.Get("ETag"), tag)
	}
	stored, err := w.engine.Workflow(t.Context(), "fresh")
	if err != nil {
		t.Fatal(err)
	}
	if n, ok := stored.Step("root").Extra["level"].(int64); !ok || n != 2 || stored.Path("root>b").Stored || !stored.Path("named").Stored {
		t.Errorf("stored %+v", stored)
	}
	if c := stored.Path("root>b").Condition.([]any); c[1] != int64(1) {
		t.Errorf("condition %v", c)
	}

	// A step and a path as they are stored, with the tag that an edit of them names.
	tag := got.header.Get("ETag")
	step := w.do("GET", path+"/steps/root", nil).want(200).is("root", "id").is(`{"message":"hi"}`, "input")
	one := w.do("GET", path+"/paths/root%3Eb", nil).want(200).is("root>b", "id").is(1, "priority")
	if step.header.Get("ETag") != tag || one.header.Get("ETag") != tag {
		t.Errorf("ETag %s, %s, of the workflow %s", step.header.Get("ETag"), one.header.Get("ETag"), tag)
	}

	// A refused edit points to the property.
	w.do("PATCH", path+"/paths/named", `{"condition": "@{SESSION_ID}.root.message > 3"}`).problem("workflow_invalid").is("/condition", "errors", 0, "pointer").is("always_true", "errors", 0, "code")
	w.do("PATCH", path+"/steps/root", `{"function": "nonsense"}`).problem("workflow_invalid").is("/function", "errors", 0, "pointer")

	// All errors of a refused workflow come in the order of the body.
	var steps, paths []string
	for i := range 12 {
		steps = append(steps, fmt.Sprintf(`{"id": "s%d"}`, i))
		paths = append(paths, fmt.Sprintf(`{"source": "s%d", "target": "s0", "condition": "@{SESSION_ID}.s0.n > 3"}`, (i*5)%12))
	}
	steps[3] = `{"id": "s3", "function": "nonsense"}`
	refused := w.do("PUT", "/api/v1/workflows/wrong", `{"steps": [`+strings.Join(steps, ",")+`], "paths": [`+strings.Join(paths, ",")+`]}`).problem("workflow_invalid").
		is("/steps/3", "errors", 0, "pointer")
	for i := range 12 {
		refused.is(fmt.Sprintf("/paths/%d", i), "errors", i+1, "pointer")
	}

	// What was read can be sent back, and changes nothing.
	same := w.do("PUT", path, got.text, "If-Match: "+got.header.Get("ETag")).want(200)
	if same.header.Get("ETag") != got.header.Get("ETag") || fmt.Sprint(same.json["steps"], same.json["paths"]) != "map[added:[] changed:[] removed:[]] map[added:[] changed:[] removed:[]]" {
		t.Errorf("nothing changed, but: %s", same.text)
	}
	changed := strings.Replace(got.text, `hi`, `ho`, 1)
	w.do("PUT", path, changed, `If-Match: "0"`).problem("version_mismatch")
	w.do("PUT", path, changed, "If-Match: "+got.header.Get("ETag")).want(200).is("[root]", "steps", "changed")
	w.do("PUT", path, changed, "If-Match: "+got.header.Get("ETag")).problem("version_mismatch")
	w.do("PUT", "/api/v1/workflows/none", changed, `If-Match: "0"`).problem("request_invalid") // its id says fresh
	w.do("PUT", "/api/v1/workflows/none", `{"steps": [], "paths": []}`, `If-Match: "0"`).problem("workflow_not_found")
	w.do("PUT", path, `{"steps": [{"id": "a"}, {"id": "a"}], "paths": []}`).problem("bad_request")
	w.do("PUT", path, `{"steps": [{"id": "a", "workflow": "talk"}], "paths": []}`).problem("request_invalid").is("/steps/0/workflow", "errors", 0, "pointer")
	w.do("PUT", path, `{"steps": [], "paths": [], "settings": {"max_steps": "many"}}`).problem("request_invalid").is("/settings", "errors", 0, "pointer")
	w.do("PUT", path, `{"steps": [{"id": "a", "extra": {"x": {"y": 1}}}], "paths": []}`).problem("request_invalid")

	w.do("DELETE", path, nil).want(204)
	w.do("GET", path, nil).problem("workflow_not_found")
}

func TestListWorkflowsInPages(t *testing.T) {
	w := newWorld(t, Options{})
	var ids []string
	next := ""
	for {
		page := w.do("GET", "/api/v1/workflows?limit=4&cursor="+next, nil).want(200)
		for _, i := range page.at("items").([]any) {
			ids = append(ids, i.(map[string]any)["id"].(string))
		}
		if next, _ = page.json["next"].(string); next == "" {
			break
		}
	}
	if fmt.Sprint(ids) != "[broken default plain slow talk thinks typed]" {
		t.Errorf("%v", ids)
	}
}

func TestWorkflowShowsItsProblems(t *testing.T) {
	w := newWorld(t, Options{})
	bad := `{"steps": [{"id": "root", "function": "sya"}], "paths": []}`
	w.do("PUT", "/api/v1/workflows/bad", bad).problem("workflow_invalid").is("/steps/0", "errors", 0, "pointer").is("no_function", "errors", 0, "code")
	w.do("PUT", "/api/v1/workflows/bad?force=true&dry_run=true", bad).want(200).is("no_function", "problems", 0, "code")
	w.do("GET", "/api/v1/workflows/bad", nil).problem("workflow_not_found")
	w.do("PUT", "/api/v1/workflows/bad", `{"force": true, "steps": [{"id": "root", "function": "sya"}], "paths": []}`).want(201).is("root", "problems", 0, "step")
	got := w.do("GET", "/api/v1/workflows/bad", nil).want(200).is("root", "problems", 0, "step")
	w.do("PUT", "/api/v1/workflows/bad?force=true", got.text).want(200)
}

// An edit is refused for the error that it brings, not for those that were there.
func TestEditsThatBringAnErrorAreRefused(t *testing.T) {
	w := newWorld(t, Options{})
	w.do("PUT", "/api/v1/workflows/w?force=true", `{"steps": [{"id": "root", "function": "sya"}, {"id": "b"}], "paths": [{"id": "p", "source": "root", "target": "b"}]}`).want(201)
	at := "/api/v1/workflows/w"
	always := `{"condition": "@{SESSION_ID}.root.x == 1"}`
	refused := w.do("PATCH", at+"/paths/p", always).problem("workflow_invalid").is("always_true", "errors", 0, "code")
	if !strings.Contains(refused.text, "when @{SESSION_ID}.root.x == 1") || strings.Contains(refused.text, "no_function") {
		t.Errorf("refused with %s", refused.text)
	}
	w.do("PATCH", at+"/paths/p?force=true", always).want(200)
	w.do("PATCH", at+"/paths/p", `{"condition": {"when": "@{SESSION_ID}.root.x == 1"}}`).want(200)
	w.do("POST", at+"/paths", `{"source": "b", "target": "root", "back": true, "condition": "@{SESSION_ID}.b.x > 1"}`).problem("workflow_invalid")
	w.do("PATCH", at+"/steps/b", `{"function": "nope"}`).problem("workflow_invalid").is("b", "errors", 0, "step")
	w.do("PATCH", at+"/steps/b", `{"name": "B"}`).want(200)
	w.do("POST", at+"/steps", `{"id": "c", "function": "nope"}`).problem("workflow_invalid")
	w.do("POST", at+"/steps?force=true", `{"id": "c", "function": "nope"}`).want(201)
}

func TestEditSteps(t *testing.T) {
	w := newWorld(t, Options{})
	w.start("talk")
	steps := "/api/v1/workflows/talk/steps"
	tag := w.do("GET", "/api/v1/workflows/talk", nil).header.Get("ETag")
	made := w.do("POST", steps, map[string]any{"id": "bye", "function": "say", "input": map[string]any{"message": "bye"}, "extra": map[string]any{"n": 1}}, "If-Match: "+tag).want(201)
	made.is("bye", "step", "id").is(`{"message":"bye"}`, "step", "input").is(1, "affected", "sessions", "awaiting_input").is(0, "affected", "at_step")
	w.do("POST", steps, map[string]any{"id": "late"}, "If-Match: "+tag).problem("version_mismatch")
	w.do("POST", steps, map[string]any{"id": "lost", "workflow": "plain"}).problem("request_invalid")

	bye := steps + "/bye"
	w.do("PATCH", bye, `{"name": "Bye", "input": {"message": null, "other": 1}, "extra": {"m": 2}}`, "Content-Type: "+mergePatch).want(200).
		is("Bye", "step", "name").is(`{"message":null,"other":1}`, "step", "input").is(1, "step", "extra", "n").is(2, "step", "extra", "m").is("say", "step", "function")
	w.do("PATCH", bye, `{"name": null, "extra": {"n": null}, "input": " {} "}`).want(200).is(" {} ", "step", "input").is(nil, "step", "name").is("map[m:2]", "step", "extra")
	w.do("PATCH", bye, `{"id": "hello"}`).problem("request_invalid").is("/id", "errors", 0, "pointer")
	w.do("PATCH", bye, `{"x": "left"}`).problem("request_invalid").is("/x", "errors", 0, "pointer")
	w.do("PATCH", bye, `{"functoin": "say"}`).problem("request_invalid").is("/functoin", "errors", 0, "pointer")
	w.do("PATCH", bye, `[]`).problem("request_invalid")
	w.do("PATCH", steps+"/root", `{"name": "Ask"}`).want(200).is(1, "affected", "at_step")
	removed := w.do("DELETE", bye, nil).want(200)
	if got := w.do("GET", "/api/v1/workflows/talk", nil); removed.header.Get("ETag") != got.header.Get("ETag") || strings.Contains(got.text, "bye") {
		t.Errorf("after removing: %s", got.text)
	}
}

// TestPatchKeepsWhatJSONCannotSay: a property of a type JSON lacks survives.
func TestPatchKeepsWhatJSONCannotSay(t *testing.T) {
	stored := map[string]any{"when": stringer("2026"), "n": int64(1), "gone": 1}
	sent := keepStoredTypes(stored, map[string]any{"when": "2026", "n": int64(2)})
	if _, kept := sent["when"].(stringer); !kept || sent["n"] != int64(2) || len(sent) != 2 {
		t.Errorf("%v", sent)
	}
}

type stringer string

func TestEditPaths(t *testing.T) {
	w := newWorld(t, Options{})
	paths := "/api/v1/workflows/talk/paths"
	w.do("POST", paths, map[string]any{"source": "root", "target": "hello", "condition": "@{SESSION_ID}.root.response"}).want(201).
		is("root>hello#2", "path", "id").is("NEXT", "path", "kind").is("@{SESSION_ID}.root.response", "path", "condition")
	w.do("POST", paths, map[string]any{"id": "mine", "source": "sure", "target": "root", "back": true}).want(201).is("mine", "path", "id").is(true, "path", "back")
	second := paths + "/" + url.PathEscape("root>hello#2")
	w.do("PATCH", second, `{"condition": {"true": "x"}, "priority": 1}`).want(200).is(`{"true":"x"}`, "path", "condition").is(1, "path", "priority")
	w.do("PATCH", second, `{"condition": null}`).want(200).is(nil, "path", "condition")
	w.do("PATCH", second, `{"target": "sure"}`).problem("request_invalid").is("/target", "errors", 0, "pointer")
	w.do("PATCH", second, `{"priority": "high"}`).problem("request_invalid").is("/priority", "errors", 0, "pointer")
	w.do("DELETE", second, nil).want(200)
	w.do("DELETE", paths+"/mine", nil).want(200)
	w.do("GET", "/api/v1/workflows/talk", nil).is("hello>sure", "paths", 0, "id").is("root>hello", "paths", 1, "id")
}

func TestImportAndExport(t *testing.T) {
	w := newWorld(t, Options{})
	src := "CREATE (a:STEP {id: 'root', function: 'say', input: '{\"message\": \"hi\"}'}), (b:STEP {id: 'b'}), (a)-[:NEXT {condition: 'x'}]->(b)"
	w.do("POST", "/api/v1/workflows/import?name=greet.cypher", src, "Content-Type: text/plain; charset=utf-8").want(200).
		is("cypher", "format").is("greet", "workflows", 0, "workflow").is("[b root]", "workflows", 0, "steps", "added").is("literal_operand", "problems", 0, "code").is(1, "problems", 0, "line")
	w.do("POST", "/api/v1/workflows/import?name=greet.cypher", src, "Content-Type: text/plain").want(200).is("[]", "workflows", 0, "steps", "added")
	w.do("POST", "/api/v1/workflows/import?workflow=unnamed", src, "Content-Type: text/plain").want(200).is("unnamed", "workflows", 0, "workflow")
	w.do("POST", "/api/v1/workflows/import?force=true", `{"nodes": [{"id": "hello", "type": "text-format", "position": {"x": 0, "y": 0}, "data": {"content": "Hello"}}], "edges": []}`).want(200).is("import", "workflows", 0, "workflow").is("nebulaflow", "format")
	w.do("POST", "/api/v1/workflows/import?name=greet.cypher&workflow=other", src, "Content-Type: text/plain").want(200).is("other", "workflows", 0, "workflow")
	w.do("POST", "/api/v1/sessions?wait=10s", map[string]any{"workflow": "other"}).want(201).is("hi", "messages", 0, "content")
	if got := w.do("POST", "/api/v1/workflows/import?name=a.cypher", "\nCREATE (", "Content-Type: text/plain").problem("workflow_invalid"); !strings.Contains(got.str("errors", 0, "message"), "a.cypher:2:") {
		t.Errorf("no place: %s", got.text)
	}
	w.do("POST", "/api/v1/workflows/import?name=f.json", `{"nodes": [{"id": "in", "type": "input"}, {"id": "a", "type": "robot"}, {"id": "out", "type": "output"}], "edges": [{"id": "e", "source": "a", "target": "b"}]}`,
		"Content-Type: text/plain").problem("workflow_invalid").is("node_type", "errors", 0, "code").is("a", "errors", 0, "step").is("/nodes/1/type", "errors", 0, "pointer").
		is("unknown_node", "errors", 1, "code").is("e", "errors", 1, "path")

	for format, kind := range map[string]string{"cypher": "text/plain; charset=utf-8", "json": "application/json"} {
		file := w.do("GET", "/api/v1/workflows/greet/export?format="+format, nil).want(200)
		if file.header.Get("Content-Type") != kind || file.header.Get("Content-Disposition") != "attachment; filename=greet."+format {
			t.Errorf("%v", file.header)
		}
		again := w.do("POST", "/api/v1/workflows/import?name=greet."+format, file.text, "Content-Type: "+kind).want(200)
		again.is("greet", "workflows", 0, "workflow").is("[]", "workflows", 0, "steps", "added").is("[]", "workflows", 0, "steps", "changed").is("[]", "workflows", 0, "paths", "added")
	}
	document := w.do("GET", "/api/v1/workflows/greet/export", nil).want(200)
	w.do("PUT", "/api/v1/workflows/greet", document.text).want(200).is("[]", "steps", "changed").is("[]", "paths", "added")
}

// TestImportPreview: a dry run says what would be created or changed, and stores nothing; each
// error has its line; a format that is named is not guessed.
func TestImportPreview(t *testing.T) {
	w := newWorld(t, Options{})
	const route = "/api/v1/workflows/import?name=greet.txt"
	src := "CREATE (a:STEP {id: 'root', function: 'say', input: '{\"message\": \"hi\"}'})"
	load := func(query, text string) *reply { return w.do("POST", route+query, text, "Content-Type: text/plain") }
	load("&dry_run=true", src).want(200).is(true, "workflows", 0, "new").is("[root]", "workflows", 0, "steps", "added")
	w.do("GET", "/api/v1/workflows/greet", nil).problem("workflow_not_found")
	load("", src).want(200).is(true, "workflows", 0, "new")
	load("&dry_run=true", strings.Replace(src, "hi", "bye", 1)).want(200).is(nil, "workflows", 0, "new").is("[root]", "workflows", 0, "steps", "changed").
		is("input", "workflows", 0, "steps", "fields", "root", 0, "name").is(`{"message": "hi"}`, "workflows", 0, "steps", "fields", "root", 0, "from").
		is(`{"message": "bye"}`, "workflows", 0, "steps", "fields", "root", 0, "to").is(nil, "workflows", 0, "paths", "fields")
	if got := w.do("GET", "/api/v1/workflows/greet", nil).want(200); !strings.Contains(got.text, "hi") {
		t.Errorf("a dry run has stored: %s", got.text)
	}

	load("", "\nCREATE (").problem("workflow_invalid").is(2, "errors", 0, "line").is(9, "errors", 0, "column")
	load("", "{\"format\": \"stepgraph\", \"version\": 1,\n \"steps\": [{}]}").problem("workflow_invalid").is(2, "errors", 0, "line").is("/steps/0", "errors", 0, "pointer")
	load("", "CREATE (:STEP {id: 'root', function: 'say'}),\n (:STEP {id: 'b', function: 'nothing'})").problem("workflow_invalid").is("b", "errors", 0, "step").is(2, "errors", 0, "line")
	load("", `{"nodes": [{"id": "in", "type": "input"},`+"\n"+`{"id": "a", "type": "robot"}, {"id": "out", "type": "output"}], "edges": []}`).problem("workflow_invalid").is(2, "errors", 0, "line")

	cypher := "UNWIND ['root'] AS id CREATE (:STEP {id: id, function: 'variable', input: '{}'})"
	load("&dry_run=true", cypher).problem("workflow_invalid")
	load("&dry_run=true&format=robot", cypher).problem("request_invalid").is("format", "errors", 0, "parameter")
	yaml := "format: stepgraph\nversion: 1\nsteps:\n  - id: root\n    function: say\n    input: {message: hi}\n"
	load("&dry_run=true&format=yaml", yaml).want(200).is("yaml", "format")
	w.do("POST", "/api/v1/workflows/import?dry_run=true&workflow=pasted", yaml, "Content-Type: text/plain").want(200).is("yaml", "format").is("pasted", "workflows", 0, "workflow")
	load("&dry_run=true&format=cypher", yaml).problem("workflow_invalid")
}

// TestImportPreviewOfPaths: of a changed path the dry run has the condition before and after; a
// write has no fields.
func TestImportPreviewOfPaths(t *testing.T) {
	w := newWorld(t, Options{})
	yaml := "format: stepgraph\nversion: 1\nsteps:\n  - {id: root, function: say, input: {message: hi}}\n  - {id: b, function: say, input: {message: b}}\n" +
		"paths:\n  - {source: root, target: b, condition: \"when 1 == 1\"}\n"
	load := func(query, text string) *reply {
		return w.do("POST", "/api/v1/workflows/import?workflow=paths&format=yaml"+query, text, "Content-Type: text/plain").want(200)
	}
	load("", yaml).is(nil, "workflows", 0, "steps", "fields")
	edited := strings.Replace(yaml, "1 == 1", "1 == 2", 1)
	load("&dry_run=true", edited).is("[root>b]", "workflows", 0, "paths", "changed").is("condition", "workflows", 0, "paths", "fields", "root>b", 0, "name").
		is("when 1 == 1", "workflows", 0, "paths", "fields", "root>b", 0, "from").is("when 1 == 2", "workflows", 0, "paths", "fields", "root>b", 0, "to")
	load("", edited).is(nil, "workflows", 0, "paths", "fields")
}

func TestFunctions(t *testing.T) {
	w := newWorld(t, Options{})
	got := w.do("GET", "/api/v1/functions", nil).want(200)
	got.is("ask", "items", 0, "name").is(true, "items", 0, "allowed").is("object", "items", 0, "input_schema", "type")
	got.is("says something", "items", 3, "description")
	if f := functionOf(&engine.Spec{Name: "shell", Disabled: "off"}); f.Allowed || f.Disabled != "off" || f.InputSchema != nil {
		t.Errorf("%+v", f)
	}
}

func TestEval(t *testing.T) {
	w := newWorld(t, Options{})
	id := w.start("talk")
	w.do("POST", "/api/v1/sessions/"+id+"/answer?wait=10s", map[string]any{"response": "Ada"}).want(200)
	ref := func(body any) *reply { return w.do("POST", "/api/v1/eval/reference", body) }
	ref(map[string]any{"session": id, "text": "@{SESSION_ID}.root.response"}).want(200).is("Ada", "value").is(true, "resolved").is("[]", "missing")
	ref(map[string]any{"session": id, "input": map[string]any{"a": []any{"Hi @{SESSION_ID}.root.response!"}}}).want(200).is("Hi Ada!", "value", "a", 0)
	ref(map[string]any{"session": id, "text": "@{SESSION_ID}.nobody.x"}).want(200).is(false, "resolved").is("@{SESSION_ID}.nobody.x", "missing", 0)
	state := map[string]any{"id": "s", "data": map[string]any{"outputs": map[string]any{"a": []any{map[string]any{"n": 5}}}}}
	ref(map[string]any{"state": state, "text": "@{SESSION_ID}.a.n"}).want(200).is(5, "value")
	ref(map[string]any{"state": state, "text": ""}).want(200).is("", "value")
	ref(map[string]any{"state": state, "text": "@{other}.a.n"}).want(200).is(false, "resolved").is("@{other}.a.n", "missing", 0).is(`it names session "other"`, "reasons", 0)
	ref(map[string]any{"state": state}).problem("request_invalid")
	ref(map[string]any{"state": state, "text": "x", "input": 1}).problem("request_invalid")
	ref(map[string]any{"text": "x"}).problem("request_invalid").is("/session", "errors", 0, "pointer")
	ref(map[string]any{"text": "x", "state": state, "session": id}).problem("request_invalid")
	ref(map[string]any{"text": "x", "state": map[string]any{"data": 5}}).problem("request_invalid").is("/state", "errors", 0, "pointer")
	ref(map[string]any{"text": "x", "session": "none"}).problem("session_not_found")

	judge := func(body any) *reply { return w.do("POST", "/api/v1/eval/condition", body).want(200) }
	judge(map[string]any{"session": id, "condition": "@{SESSION_ID}.root.response"}).is(true, "result").is("Ada", "clauses", 0, "value")
	judge(map[string]any{"state": state, "condition": []any{"@{SESSION_ID}.a.n", "@{SESSION_ID}.b"}}).is(false, "result")
	judge(map[string]any{"state": state, "condition": []any{"@{SESSION_ID}.a.n", "@{SESSION_ID}.b"}, "operator": "OR"}).is(true, "result")
	judge(map[string]any{"state": state, "condition": map[string]any{"false": "@{SESSION_ID}.b"}}).is(true, "result").is("false", "clauses", 0, "path")
	judge(map[string]any{"state": state, "condition": "{"}).is(false, "result")
}
