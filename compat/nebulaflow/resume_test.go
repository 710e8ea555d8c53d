package nebulaflow_test

import (
	"testing"

	"github.com/stepgraph/stepgraph/compat/nebulaflow"
	"github.com/stepgraph/stepgraph/engine"
)

// TestResume: where a run goes on decides what runs, and what can be read of the run before.
func TestResume(t *testing.T) {
	loop := sketch("in text-format seed", `L loop-start {"iterations":2}`, `A llm {"content":"${i} of ${1}"}`, "Z loop-end", "out llm got ${1}", "in -> L:main", "L -> A", "A -> Z", "Z -> out")
	line := sketch("a llm A", `b llm {"content":"B","bypass":true}`, `v variable {"variableName":"m","content":"new"}`, "c preview", "d llm ${m} ${1}", "a -> b", "b -> c:in-0", "a -> c:in-1", "v -> d:in-0", "c -> d:in-1")
	for _, c := range []struct {
		name    string
		flow    []byte
		resume  nebulaflow.Resume
		want    map[string]string
		prompts int
	}{
		{"from a node in a loop: the loop begins anew", loop, nebulaflow.Resume{FromNodeID: "A"}, map[string]string{"A": "echo: 1 of seed", "out": "echo: got echo: 1 of seed"}, 3},
		{"a loop that had ended is not run", loop, nebulaflow.Resume{Seeds: nebulaflow.Seeds{Outputs: map[string]string{"in": "seed", "L": "seed", "A": "x", "Z": "z"}}}, map[string]string{"out": "echo: got z"}, 1},
		{"a loop that had not ended is", loop, nebulaflow.Resume{Seeds: nebulaflow.Seeds{Outputs: map[string]string{"in": "seed", "A": "x"}}}, map[string]string{"out": "echo: got echo: 1 of seed"}, 3},
		{"a bypassed node has its seed", line, nebulaflow.Resume{FromNodeID: "b", Seeds: nebulaflow.Seeds{Outputs: map[string]string{"a": "old", "b": "kept", "c": "stale"}, Variables: map[string]string{"m": "M"}}},
			map[string]string{"c": "kept\nold", "d": "echo: M"}, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := parse(t, "f.json", c.flow)
			q, err := c.resume.Request(w)
			if err != nil {
				t.Fatal(err)
			}
			p := play(t, recordedRun{}, []*engine.Workflow{w}, q)
			for id, want := range c.want {
				p.checkNode(t, id, done(want), recordedRun{})
			}
			if len(p.prompts) != c.prompts || p.session.Status != engine.StatusComplete {
				t.Errorf("agents were asked %q, the session is %s %+v", p.prompts, p.session.Status, p.session.Error)
			}
		})
	}
}

// TestResumeFromNoNode: neither a node that is not there nor a step that was added is one to
// begin at.
func TestResumeFromNoNode(t *testing.T) {
	w := parse(t, "f.json", sketch("c if-else a == a", "y preview", "c:true -> y"))
	for _, id := range []string{"zzz", "c-test", engine.DefaultEntry} {
		if _, err := (nebulaflow.Resume{FromNodeID: id}).Request(w); err == nil || err.Error() != "Resume failed: node "+id+" not found" {
			t.Errorf("%s: %v", id, err)
		}
	}
}
