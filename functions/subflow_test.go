package functions_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/enginetest"
	"github.com/stepgraph/stepgraph/formats/native"
	"github.com/stepgraph/stepgraph/functions"
)

// TestSubflowFailureIsAnOutput plays a workflow whose child fails, or does not exist.
func TestSubflowFailureIsAnOutput(t *testing.T) {
	child := read(t, `{"format":"stepgraph","version":1,"id":"child","steps":[{"id":"root","function":"code","input":{"language":"javascript","code":"throw new Error('kaput')","raise":"it said: {message}"}}],"paths":[]}`)
	for name, want := range map[string]string{"child": `error:  step "root": it said: Error: kaput`, "nobody": `not in workflow "nobody"`} {
		parent := read(t, `{"format":"stepgraph","version":1,"id":"parent","steps":[
			{"id":"root","function":"subflow","input":{"workflow":"`+name+`","on_error":"output"}},
			{"id":"told","function":"template","input":{"template":"@{SESSION_ID}.root.status: @{SESSION_ID}.root.text @{SESSION_ID}.root.error.message"}}],
			"paths":[{"source":"root","target":"told"}]}`)
		r := function.NewRegistry()
		functions.Standard(r, functions.Options{})
		result := enginetest.Play(t, enginetest.Game{Workflow: parent, Also: []*engine.Workflow{child}, Registry: r, Session: "s"})
		var got struct{ Text string }
		err := json.Unmarshal(result.Session.Result, &got)
		if err != nil || result.Session.Status != engine.StatusComplete || !strings.HasPrefix(got.Text, "error: ") || !strings.Contains(got.Text, want) {
			t.Errorf("%s: %s, %s, %v, want %s", name, result.Session.Status, result.Session.Result, err, want)
		}
	}
}

func read(t *testing.T, text string) *engine.Workflow {
	t.Helper()
	w, _, err := native.Read("w.json", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return w
}
