package flowise_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stepgraph/stepgraph/compat/flowise"
	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/models"
)

// sketched is a flow of edges alone. What a node is goes by its first letter: c and d are
// conditions that hold where the question names them, h asks a person, g is a condition agent
// that chooses 0 where the question names it, l goes back to the node its id names ("l-h"), all
// others are functions that say their id.
func sketched(t *testing.T, edges string) string {
	t.Helper()
	nodes := []string{drawnNode(t, "s", "startAgentflow", "", object{"startInputType": "chatInput"})}
	seen := map[string]bool{"s": true}
	for _, one := range strings.Fields(edges) {
		from, to, _ := strings.Cut(one, ">")
		from, _, _ = strings.Cut(from, ":")
		for _, id := range []string{from, to} {
			if !seen[id] {
				seen[id] = true
				nodes = append(nodes, sketchedNode(t, id))
			}
		}
	}
	return drawn(nodes, edges)
}

func sketchedNode(t *testing.T, id string) string {
	t.Helper()
	switch id[0] {
	case 'c', 'd':
		return drawnNode(t, id, "conditionAgentflow", "", object{"conditions": []object{{"type": "string", "value1": "{{question}}", "operation": "contains", "value2": id}}})
	case 'g':
		return drawnNode(t, id, "conditionAgentAgentflow", "", object{"conditionAgentScenarios": []object{{"scenario": "choose 0"}, {"scenario": "choose 1"}},
			"conditionAgentInput": "{{question}}"})
	case 'h':
		return drawnNode(t, id, "humanInputAgentflow", "", object{"humanInputDescriptionType": "fixed", "humanInputEnableFeedback": true})
	case 'l':
		return drawnNode(t, id, "loopAgentflow", "", object{"loopBackToNode": id[2:] + "-back", "maxLoopCount": 5})
	}
	return drawnNode(t, id, "customFunctionAgentflow", "", object{"customFunctionJavascriptFunction": "return '" + id + "'"})
}

// sketchChooser chooses branch 0 where the question names the condition agent.
func sketchChooser(_ context.Context, q models.Request) (models.Response, error) {
	choice := "1"
	if _, rest, _ := strings.Cut(q.LastUser(), `{"input": `); strings.HasPrefix(rest, "g") {
		choice = "0"
	}
	return models.Response{Text: fmt.Sprintf(`{"output": "choose %s"}`, choice), FinishReason: models.FinishStop}, nil
}

// A join runs when every required source and one of each conditional group has come; a gate
// that stayed closed is never passed by another branch. Each run says how often j ran.
func TestJoinsPassNoClosedGate(t *testing.T) {
	r := start(t, sketchChooser, nil)
	type run struct {
		question string
		answers  string // p proceeds, r rejects
		want     int
	}
	for name, c := range map[string]struct {
		edges string
		runs  []run
	}{
		"required and a group":                     {"s>r s>c c:0>x x>j r>j c:1>n", []run{{"c", "", 1}, {"", "", 0}}},
		"the group comes first":                    {"s>c s>r c:0>x x>j r>r2 r2>j", []run{{"c", "", 1}, {"", "", 0}}},
		"a group of both branches":                 {"s>r s>c c:0>x c:1>y x>j y>j r>j", []run{{"c", "", 1}, {"", "", 1}}},
		"two groups":                               {"s>c s>d c:0>x d:0>y x>j y>j", []run{{"c d", "", 1}, {"c", "", 0}, {"d", "", 0}, {"", "", 0}}},
		"a branch straight to the join":            {"s>r s>c c:0>j r>j", []run{{"c", "", 1}, {"", "", 0}}},
		"nested: a sibling arm counts":             {"s>c c:0>d d:0>x d:1>n c:1>y x>j y>j", []run{{"c d", "", 1}, {"c", "", 0}, {"", "", 1}}},
		"nested beside a plain source of its arm":  {"s>c c:0>p c:0>d d:0>x c:1>y p>j x>j y>j", []run{{"c d", "", 1}, {"c", "", 0}, {"", "", 1}}},
		"nested and required":                      {"s>r s>c c:0>d d:0>x r>j x>j", []run{{"c d", "", 1}, {"c", "", 0}, {"", "", 0}, {"d", "", 0}}},
		"a merge and one of its arms":              {"s>c c:0>x c:1>y x>m y>m m>j x>j", []run{{"c", "", 1}, {"", "", 1}}},
		"a gated node and what gates it":           {"s>r s>c c:0>x r>m x>m m>j r>j", []run{{"c", "", 1}, {"", "", 0}}},
		"what comes with the sibling arm":          {"s>c c:0>d c:0>b c:1>a a>b d:0>j b>j", []run{{"c d", "", 1}, {"c", "", 0}, {"", "", 1}}},
		"past what two decisions share":            {"s>c c:0>m c:1>d d:0>m d:1>j m>j", []run{{"c", "", 1}, {"d", "", 1}, {"", "", 1}}},
		"shared, beside what is required":          {"s>r s>c r>j c:0>m c:1>d d:0>m d:1>j m>j", []run{{"c", "", 1}, {"d", "", 1}, {"", "", 1}}},
		"human input beside its source":            {"s>r r>h h:0>j r>j", []run{{"", "p", 1}, {"", "r", 0}}},
		"human input on a parallel branch":         {"s>r s>h h:0>x x>j r>j h:1>n", []run{{"", "p", 1}, {"", "r", 0}}},
		"condition agent":                          {"s>r s>g g:0>x x>j r>j", []run{{"g", "", 1}, {"", "", 0}}},
		"asked again until a person agrees":        {"s>r s>h h:0>x x>j r>j h:1>l-h", []run{{"", "p", 1}, {"", "rp", 1}, {"", "rrp", 1}}},
		"a loop around the join":                   {"s>r s>h h:0>x x>j r>j j>l-h", []run{{"", "pppr", 3}, {"", "r", 0}}},
		"a loop around the join and its gate":      {"s>a a>r a>h h:0>x x>j r>j j>l-a", []run{{"", "ppr", 2}}},
		"an arm of an earlier round opens nothing": {"s>h h:0>x h:1>b b>k k>l-h x>j h>y y>j j>l-h", []run{{"", "prp", 2}}},
	} {
		t.Run(name, func(t *testing.T) {
			r := running{r.Engine, t}
			for i, run := range c.runs {
				id := fmt.Sprintf("%s %d", name, i)
				r.put(id, sketched(t, c.edges))
				session := r.play(engine.StartRequest{Workflow: id, Inputs: json.RawMessage(fmt.Sprintf(`{"question": %q}`, run.question))})
				for _, a := range run.answers {
					kind := map[rune]string{'p': "proceed", 'r': "reject"}[a]
					if _, err := r.Answer(t.Context(), engine.AnswerRequest{Session: session.ID, Response: flowise.HumanInput{Type: kind}.Answer()}); err != nil {
						t.Fatal(err)
					}
					session = r.rest(t.Context(), session.ID)
				}
				list, err := r.Executions(t.Context(), session.ID, engine.HistoryQuery{Limit: 500})
				if err != nil {
					t.Fatal(err)
				}
				ran := 0
				for _, x := range list {
					if x.Step == "j" && x.Status == engine.StatusComplete {
						ran++
					}
				}
				if ran != run.want {
					t.Errorf("%q %q: j ran %d times, want %d", run.question, run.answers, ran, run.want)
				}
			}
		})
	}
}

// TestJoinsAreWrittenBack: what a join requires is not a part of the file and comes back with it.
func TestJoinsAreWrittenBack(t *testing.T) {
	document := sketched(t, "s>c c:0>d c:0>b c:1>a a>b d:0>j b>j")
	file, err := flowise.Parse("x.json", []byte(document))
	if err != nil {
		t.Fatal(err)
	}
	w := &file.Workflows[0]
	if !slices.ContainsFunc(w.Paths, func(p engine.Path) bool { return p.Extra["excuse"] == true && len(p.Group) == 1 }) {
		t.Error("nothing stands for the branch that was not taken")
	}
	text, problems, err := flowise.Export(w)
	if err != nil || len(problems) > 0 {
		t.Fatal(problems, err)
	}
	if !strings.Contains(string(text), `"edges"`) || strings.Contains(string(text), "excuse") {
		t.Error(string(text))
	}
}
