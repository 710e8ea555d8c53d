package nebulaflow_test

import (
	"strings"
	"testing"

	"github.com/stepgraph/stepgraph/compat/nebulaflow"
	"github.com/stepgraph/stepgraph/engine"
)

// TestNumbersAsTexts: what people and other programs write by hand is read where it can be.
func TestNumbersAsTexts(t *testing.T) {
	flow := sketch(`L loop-start {"iterations":" 2 ","maxSafeIterations":null,"loopVariable":null}`,
		`k cli {"mode":"script","content":"echo $A $B $C","env":{"static":{"A":5,"B":true,"C":null}},"stdin":{"parentIndex":"1"}}`,
		`A accumulator {"variableName":"log","content":"${1}"}`, "Z loop-end", "L -> k", "k -> A", "A -> Z")
	p := play(t, recordedRun{}, []*engine.Workflow{parse(t, "f.json", flow)}, engine.StartRequest{Workflow: "flow"})
	p.checkNode(t, "A", done("\n5 true\n\n5 true\n"), recordedRun{})
}

// TestValuesOfAnotherKind: each is named with its node, line and what it must be.
func TestValuesOfAnotherKind(t *testing.T) {
	_, err := nebulaflow.Parse("f.json", []byte(`{"nodes":[
{"id":"L","type":"loop-start","data":{"iterations":2.5}},
{"id":"a","type":"llm","data":{"content":"x","timeoutSec":"soon"}},
{"id":"k","type":"cli","data":{"content":["x"]}},
{"id":"j","type":"cli","data":{"content":"x","env":{"static":{"A":{}}}}}],"edges":[
{"id":5,"source":"a","target":"k"}]}`))
	if err == nil {
		t.Fatal("no error")
	}
	for _, want := range []string{
		`f.json:2:1: node "L": data.iterations: want a whole number, not number 2.5 (bad_value)`,
		`f.json:3:1: node "a": data.timeoutSec: want a number, not string "soon" (bad_value)`,
		`f.json:4:1: node "k": data.content: want a text, not array (bad_value)`,
		`f.json:5:1: node "j": data.env.static: want a text, not object (bad_value)`,
		`f.json:6:1: edge "": id: want a text, not number (bad_value)`,
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("no %s in\n%v", want, err)
		}
	}
}
