package callcentre_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/models"
)

// toldResults is what models were told of the calls of a tool, oldest first.
func (p *played) toldResults(agent, tool string) []string {
	var out []string
	seen := map[string]bool{}
	for _, q := range p.asked {
		if q.Step != agent {
			continue
		}
		names := map[string]string{}
		for _, m := range q.Messages {
			for _, c := range m.ToolCalls {
				names[c.ID] = c.Name
			}
			if m.Role == models.RoleTool && names[m.ToolCallID] == tool && !seen[m.ToolCallID] {
				seen[m.ToolCallID] = true
				out = append(out, m.Content)
			}
		}
	}
	return out
}

// checkResult holds what an agent was told of a call against the trace.
func checkResult(t testing.TB, _ *engine.Workflow, p *played, e event) {
	t.Helper()
	told := strings.Join(p.toldResults(e.Agent, e.Call), "\n")
	if told == "" {
		t.Errorf("%s was told nothing of %s", e.Agent, e.Call)
		return
	}
	var want struct {
		Instructions *string
		Success      *bool
		Result       json.RawMessage
		ErrorCode    string
	}
	if err := json.Unmarshal(e.Response, &want); err != nil {
		t.Fatal(err)
	}
	var inner struct {
		Success   *bool
		Data      json.RawMessage
		Summary   string
		Structure string
		ErrorCode string
	}
	if want.Success != nil { // a tool of the router: {success, result: data}
		inner.Success, inner.Data = want.Success, want.Result
	} else if len(want.Result) > 0 {
		if err := json.Unmarshal(want.Result, &inner); err != nil {
			t.Fatal(err)
		}
	}
	code := want.ErrorCode + inner.ErrorCode
	if lost := trueCodes[e.Call]; lost != "" {
		code = lost
	}
	switch {
	case want.Instructions != nil:
		if !strings.Contains(told, *want.Instructions) {
			t.Errorf("%s was told %s of %s, want %q", e.Agent, told, e.Call, *want.Instructions)
		}
	case code != "":
		if !strings.Contains(told, `"errorCode":"`+code+`"`) {
			t.Errorf("%s was told %s of %s, want code %s", e.Agent, told, e.Call, code)
		}
	default:
		checkData(t, told, e, inner.Data, inner.Summary, inner.Structure)
	}
}

// checkData holds the data, summary and structure that a model was told against what was
// recorded. A text in angle brackets stands for any text.
func checkData(t testing.TB, told string, e event, data json.RawMessage, summary, structure string) {
	t.Helper()
	var got struct {
		Result struct {
			Success   bool
			Data      json.RawMessage
			Summary   string
			Structure string
		}
	}
	if err := json.Unmarshal([]byte(strings.SplitN(told, "\n", 2)[0]), &got); err != nil {
		t.Errorf("%s: %v in %s", e.Call, err, told)
		return
	}
	if !got.Result.Success || !fits(t, got.Result.Data, data) {
		t.Errorf("%s: data is %s, want %s", e.Call, got.Result.Data, data)
	}
	if summary != "" && summary != anyText && got.Result.Summary != summary {
		t.Errorf("%s: summary is %q, want %q", e.Call, got.Result.Summary, summary)
	}
	if structure != "" && structure != anyText && got.Result.Structure != structure {
		t.Errorf("%s: structure is %q, want %q", e.Call, got.Result.Structure, structure)
	}
}

const anyText = "<text>"

// fits compares two JSON values; a text "<text>" in want stands for any.
func fits(t testing.TB, got, want json.RawMessage) bool {
	t.Helper()
	var w map[string]json.RawMessage
	if json.Unmarshal(want, &w) != nil {
		return sameJSON(t, got, want)
	}
	var g map[string]json.RawMessage
	if json.Unmarshal(got, &g) != nil || len(g) != len(w) {
		return false
	}
	for key, value := range w {
		if string(value) != `"`+anyText+`"` && (g[key] == nil || !fits(t, g[key], value)) {
			return false
		}
	}
	return true
}

// checkAnswer holds what a department answered against the trace.
func checkAnswer(t testing.TB, p *played, e event) {
	t.Helper()
	for _, x := range p.Executions {
		if x.Step != e.Agent {
			continue
		}
		var out struct{ Text string }
		switch {
		case e.Kind == "answer" && x.Status == engine.StatusComplete && json.Unmarshal(x.Output, &out) == nil && out.Text == e.Text:
			return
		case e.Kind == "error" && x.Status == engine.StatusError && strings.Contains(string(x.Error), e.ErrorCode):
			return
		}
	}
	t.Errorf("%s did not answer as recorded: %+v", e.Agent, e)
}
