package engine_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/memory"
)

// A shape is a workflow with a step `j` of join: required, and what is answered before the fork
// or rollback and after it.
type shape struct {
	name   string
	steps  string // ids; those that begin with q ask
	paths  string // source>target, with [group], ? or ! (taken when the answer of the source is true or false), ^ (back)
	before string // answers: step=value
	at     string // step/visit where the session is taken back to
	after  string
	want   string // how often j has run then
}

// gates has the shapes of a gate: sources, groups, loops, jumps; open, half open and closed.
var gates = []shape{
	{"two sources, one has come", "a q b", "root>a root>q a>j q>b b>j", "q=true", "b/1", "", "1"},
	{"two sources, one has come, the other's question is open", "a q", "root>a root>q a>j q>j", "", "q/1", "q=true", "1"},
	{"two sources, the other will not come", "a q b", "root>a root>q a>j q>b? b>j", "q=false", "q/1", "q=false", "0"},
	{"none has come yet", "q p", "root>q q>p p>j root>j", "q=true", "q/1", "q=true", "1"},
	{"one of a group has come", "a q b", "root>a root>q a>j[g] q>b b>j[g] q>j", "q=true", "b/1", "", "1"},
	{"one of each group", "a b q", "root>a root>b root>q a>j[g] q>j[g] b>j[h] q>j[h]", "q=true", "q/1", "q=true", "1"},
	{"a group of which none comes", "a q", "root>a root>q a>j q>j[g]? q>j[g]?", "q=false", "q/1", "q=false", "0"},
	{"before a loop", "a q no c", "root>a root>q a>j q>c? c>j q>no! no>q^", "q=false q=true", "q/2", "q=true", "1"},
	{"before a loop, the loop goes on", "a q no c", "root>a root>q a>j q>c? c>j q>no! no>q^", "q=false q=true", "q/2", "q=false q=true", "1"},
	{"the first round of a loop", "a q no c", "root>a root>q a>j q>c? c>j q>no! no>q^", "q=false q=true", "q/1", "q=true", "1"},
	{"an arm of an earlier round", "a q side no c", "root>q q>side side>j q>c? c>j q>no! no>q^", "q=false q=false", "q/2", "q=true", "1"},
	{"gone on after the gate ran", "a q r", "root>a root>q a>j q>j j>r", "q=true", "r/1", "", "1"},
	{"a back path into the gate", "a q b c z", "root>c c>z z>j^ root>q q>b? b>j a>j", "", "q/1", "q=false", "1"},
	{"a back path into the gate had been taken", "a q b c z", "root>c c>z z>j^ root>q q>b b>c b>j a>j", "q=true", "b/1", "", "2"},
}

func (g *shape) workflow() *engine.Workflow {
	w := &engine.Workflow{ID: "w", Steps: []engine.Step{{ID: "root"}, {ID: "j", Join: engine.JoinRequired, Function: "say", Input: `{"text": "open"}`}}}
	for _, id := range strings.Fields(g.steps) {
		s := engine.Step{ID: id, Function: "say", Input: fmt.Sprintf(`{"text": %q}`, id)}
		if strings.HasPrefix(id, "q") {
			s = engine.Step{ID: id, Function: "ask_name"}
		}
		w.Steps = append(w.Steps, s)
	}
	for _, text := range strings.Fields(g.paths) {
		source, target, _ := strings.Cut(text, ">")
		p := engine.Path{Kind: engine.Next, Source: source}
		if i := strings.IndexByte(target, '['); i >= 0 {
			end := strings.IndexByte(target, ']')
			p.Group, target = []string{target[i+1 : end]}, target[:i]+target[end+1:]
		}
		switch {
		case strings.HasSuffix(target, "?"):
			p.Condition = fmt.Sprintf("@{SESSION_ID}.%s.response", source)
		case strings.HasSuffix(target, "!"):
			p.Condition = fmt.Sprintf(`{"false": "@{SESSION_ID}.%s.response"}`, source)
		case strings.HasSuffix(target, "^"):
			p.Back = true
		}
		p.Target = strings.TrimRight(target, "?!^")
		w.Paths = append(w.Paths, p)
	}
	return w
}

func (w *playground) answers(id, list string) *engine.Session {
	w.t.Helper()
	s := w.wait(id)
	for _, one := range strings.Fields(list) {
		step, value, _ := strings.Cut(one, "=")
		w.answer(id, step, value)
		s = w.wait(id)
	}
	return s
}

// TestForkKeepsGates: a step with join: required runs in a fork, and after a rollback, as it
// would have run in the session itself: what had come counts, what had not does not.
func TestForkKeepsGates(t *testing.T) {
	for _, g := range gates {
		t.Run(g.name, func(t *testing.T) {
			w := newPlay(t, memory.New(memory.Options{}), engine.Options{})
			w.put(g.workflow())
			w.run()
			w.start("w", "s")
			w.answers("s", g.before)
			step, visit, _ := strings.Cut(g.at, "/")
			n := int(visit[0] - '0')
			if _, err := w.e.Fork(w.ctx, engine.ForkRequest{Session: "s", Step: step, Visit: n, ID: "f"}); err != nil {
				t.Fatal(err)
			}
			f := w.answers("f", g.after)
			gates, ran := f.Steps["j"], w.runs("f", "j")
			if ran != "j "+g.want+" " && !(step == "r" && ran == "j 0 ") || f.Status != engine.StatusComplete && gates == "" {
				t.Errorf("fork: %s, %v, ran %s", f.Status, f.Steps, ran)
			}
			before := w.runs("s", "j")
			w.act(engine.Action{Session: "s", Kind: engine.RequestRollback, Step: step, Visit: n})
			s := w.answers("s", g.after)
			var had, has int
			fmt.Sscanf(before, "j %d", &had)
			fmt.Sscanf(w.runs("s", "j"), "j %d", &has)
			if got := fmt.Sprint(has - had); got != g.want && step != "r" || step == "r" && has != had {
				t.Errorf("rolled back: %s, %v, ran %d times before and %d after", s.Status, s.Steps, had, has-had)
			}
		})
	}
}
