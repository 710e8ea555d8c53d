package storetest

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stepgraph/stepgraph/engine/graph"
	"github.com/stepgraph/stepgraph/engine/store"
)

// A Hand does what a person does in a database browser, past the engine. Properties are
// text, bool, int64, float64 or a list of texts.
type Hand interface {
	// Step makes a STEP node with exactly these properties.
	Step(ctx context.Context, properties map[string]any) error
	// Path joins the steps of two ids. The cases give each step an id used nowhere else.
	Path(ctx context.Context, kind graph.PathKind, source, target string, properties map[string]any) error
	// Workflow makes a WORKFLOW node with exactly these properties.
	Workflow(ctx context.Context, properties map[string]any) error
	// Session makes a SESSION node with exactly these properties.
	Session(ctx context.Context, properties map[string]any) error
	// State overwrites the state of a session.
	State(ctx context.Context, session, state string) error
}

// RunByHand is the part of the suite for databases that people edit by hand. open is
// called once for each case. The cases add to the workflow `default` and may run while
// others use it.
func RunByHand(t *testing.T, open func(t *testing.T) (store.Store, Hand)) {
	for _, c := range handCases {
		t.Run(c.name, func(t *testing.T) {
			if !c.alone {
				t.Parallel()
			}
			opened, hand := open(t)
			c.run(&handKit{kit: newKit(t, opened), hand: hand})
		})
	}
}

// A handKit is a kit with a hand whose faults stop the case.
type handKit struct {
	*kit
	hand Hand
}

// A case of steps without workflow runs alone: a list of workflows files all there are in the
// database, also those of a case that has not drawn their paths yet.
type handCase struct {
	name  string
	run   func(k *handKit)
	alone bool
}

var handCases = []handCase{
	{"a step with id, function and input alone runs in default", handBareStep, false},
	{"steps without workflow are found along all kinds of path", handAlong, true},
	{"a step without workflow that nothing reaches is found by the list", handUnreached, true},
	{"a step without workflow belongs to the workflow whose step leads to it", handAcross, true},
	{"the list files steps without workflow where paths lead to them from", handListed, true},
	{"two steps of one id are a problem", handDuplicate, false},
	{"settings that cannot be read are a problem and kept", handSettings, false},
	{"the old plural of condition and native lists", handConditions, false},
	{"a session with id and state alone is adopted", handSession, false},
	{"a state edited by hand is what the next holder gets", handState, false},
}

func (k *handKit) step(id, workflow string) {
	k.Helper()
	p := map[string]any{"id": k.id(id), "function": "utils.reply.reply", "input": `{"text":"hi"}`}
	if workflow != "" {
		p["workflow"] = workflow
	}
	k.noError(k.hand.Step(k.ctx, p))
}

func (k *handKit) path(kind graph.PathKind, source, target string, properties map[string]any) {
	k.Helper()
	k.noError(k.hand.Path(k.ctx, kind, k.id(source), k.id(target), properties))
}

// inDefault returns the ids of this case's steps in default, read from an entry.
func (k *handKit) inDefault(entries ...string) string {
	k.Helper()
	var look map[string][]string
	if len(entries) > 0 {
		look = map[string][]string{graph.DefaultWorkflow: k.ids(entries...)}
	}
	list, err := k.store.Workflows(k.ctx, []string{graph.DefaultWorkflow}, look)
	k.noError(err)
	var names []string
	for _, w := range list {
		for i := range w.Steps {
			if name, mine := strings.CutPrefix(w.Steps[i].ID, k.prefix+"-"); mine {
				k.equal("workflow of "+name, w.Steps[i].Workflow, graph.DefaultWorkflow)
				names = append(names, name)
			}
		}
	}
	return strings.Join(names, " ")
}

func handBareStep(k *handKit) {
	k.step("root", "")
	k.equal("by its id", k.inDefault("root"), "root")
	k.equal("by workflow from then on", k.inDefault(), "root")
}

func handAlong(k *handKit) {
	for _, id := range []string{"a", "b", "c", "d"} {
		k.step(id, "")
	}
	k.path(graph.Next, "a", "b", nil)
	k.path(graph.Contains, "b", "c", nil)
	k.path(graph.Tool, "c", "d", nil)
	k.path(graph.Next, "d", "a", nil)
	k.equal("from the entry", k.inDefault("a"), "a b c d")
	k.step("e", "")
	k.path(graph.Next, "b", "e", nil)
	k.equal("a step added later", k.inDefault(), "a b c d e")
}

func handUnreached(k *handKit) {
	k.step("alone", "")
	list, err := k.store.WorkflowIDs(k.ctx)
	k.noError(err)
	found := false
	for _, w := range list {
		found = found || w.ID == graph.DefaultWorkflow && w.Steps > 0
	}
	k.equal("default is listed", found, true)
	k.equal("adopted", k.inDefault(), "alone")
}

// handAcross pastes steps with the seed's three properties behind a step of a workflow, in the
// shape of many diamonds in a row, whose ways no search can count.
func handAcross(k *handKit) {
	k.step("here", k.prefix)
	last := "here"
	for i := range 12 {
		l, r, join := fmt.Sprintf("l%d", i), fmt.Sprintf("r%d", i), fmt.Sprintf("j%d", i)
		for _, id := range []string{l, r, join} {
			k.step(id, "")
		}
		for _, side := range []string{l, r} {
			k.path(graph.Next, last, side, nil)
			k.path(graph.Next, side, join, nil)
		}
		last = join
	}
	k.step("other", k.prefix+"-other")
	k.step("beyond", "")
	k.path(graph.Next, last, "other", nil)
	k.path(graph.Next, "other", "beyond", nil)
	w := k.workflow(k.prefix)
	k.equal("steps", len(w.Steps), 37)
	for i := range w.Paths {
		if p := &w.Paths[i]; p.Target != k.id("other") {
			k.equal("workflow behind "+p.ID, p.TargetWorkflow, "")
		}
	}
	k.equal("behind a step of another workflow", len(k.workflow(k.prefix+"-other").Steps), 2)
	k.equal("default", k.inDefault(), "")
}

func handListed(k *handKit) {
	k.step("here", k.prefix)
	k.step("there", "")
	k.path(graph.Next, "here", "there", nil)
	list, err := k.store.WorkflowIDs(k.ctx)
	k.noError(err)
	for _, w := range list {
		if w.ID == k.prefix {
			k.equal("steps", w.Steps, 2)
			return
		}
	}
	k.Errorf("workflow %s is not listed", k.prefix)
}

func handDuplicate(k *handKit) {
	k.step("twin", k.prefix)
	k.step("twin", k.prefix)
	k.step("other", k.prefix)
	w := k.workflow(k.prefix)
	k.equal("steps", len(w.Steps), 2)
	if len(w.Problems) != 1 || w.Problems[0].Code != "duplicate_step" || w.Problems[0].Step != k.id("twin") || w.Problems[0].Level != "error" {
		k.Errorf("problems %+v, want one duplicate_step of %s", w.Problems, k.id("twin"))
	}
	k.equal("ETag of a second read", k.workflow(k.prefix).ETag(), w.ETag())
}

func handSettings(k *handKit) {
	k.noError(k.hand.Workflow(k.ctx, map[string]any{"id": k.prefix, "name": "n", "settings": `{"max_steps":`, "own": int64(1)}))
	k.step("root", k.prefix)
	w := k.workflow(k.prefix)
	k.equal("name", w.Name, "n")
	k.sameJSON("extra", w.Extra, map[string]any{"settings": `{"max_steps":`, "own": 1})
	if len(w.Problems) != 1 || w.Problems[0].Code != "property_type" {
		k.Errorf("problems %+v, want one property_type", w.Problems)
	}
}

func handConditions(k *handKit) {
	k.step("a", k.prefix)
	k.step("b", k.prefix)
	k.path(graph.Next, "a", "b", map[string]any{"conditions": "plural", "priority": int64(1)})
	k.path(graph.Next, "a", "b", map[string]any{"condition": []string{"one", "two"}, "priority": 2.5, "colour": "red"})
	w := k.workflow(k.prefix)
	name := k.id("a") + ">" + k.id("b")
	k.equal("plural", w.Path(name).Condition, any("plural"))
	k.equal("list", w.Path(name+"#2").Condition, any([]any{"one", "two"}))
	k.sameJSON("extra", w.Path(name+"#2").Extra, map[string]any{"colour": "red"})
}

func handSession(k *handKit) {
	k.noError(k.hand.Session(k.ctx, map[string]any{"id": k.id("s"), "state": `{}`}))
	r := k.kit.session("s")
	k.equal("state, status, version, inbox", []any{string(r.State), r.Status, r.Version, r.Inbox}, []any{`{}`, "", int64(0), int64(0)})
	k.lists("list", store.SessionQuery{IDs: k.ids("s")}, "s")
	d := k.deliver(r.ID, "key", signal())
	k.equal("number of the request", d.Request.N, int64(1))
	c := k.claimOne("s", long)
	k.equal("requests", keysOf(c.Requests, false), "key")
	row := k.recorded(c.Session)
	row.Seen = 1
	k.outcome(row, store.Committed)
	k.outcome(row, store.Again)
	got := k.kit.session("s")
	k.equal("version, status", []any{got.Version, got.Status}, []any{int64(1), store.StatusActive})
	k.historyLength(r.ID, 1, 1)
	k.noError(k.hand.Session(k.ctx, map[string]any{"id": k.id("bare"), "state": `{}`}))
	k.commit(k.checkpoint(k.claimOne("bare", long).Session))
}

func handState(k *handKit) {
	r := k.atRest("s")
	k.noError(k.hand.State(k.ctx, r.ID, `{"by": "hand"}`))
	c := k.claimOne("s", long)
	k.equal("state", string(c.Session.State), `{"by": "hand"}`)
	k.equal("version", c.Session.Version, r.Version)
	k.commit(k.checkpoint(c.Session))
}
