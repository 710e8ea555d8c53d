package storetest

import (
	"fmt"
	"strings"
	"time"

	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/engine/graph"
	"github.com/stepgraph/stepgraph/engine/store"
)

// oddTexts are names and texts that break stores which build statements from strings,
// normalize text or take it for a pattern.
var oddTexts = []string{
	"with blank", `it's`, `say "x"`, "back`tick", `a\b`, "$param", "@{SESSION_ID}.a", "%_*?[a]", "a;b--c", "{x: 1}",
	"grüße", "e\u0301 and \u00e9", "日本語 🙂 👩‍👩‍👧", "\u200e\u202eright", "tab\tnew\nline\r\x01\x1f\x7f", "a/b#c>d", "TRUE", "null", "0", "1.0",
}

var oddCases = []testCase{
	{"texts everywhere", oddEverywhere},
	{"a state is kept to the byte", oddState},
	{"a state of 200 KB", oddLarge},
	{"steps with odd names", oddSteps},
	{"times in other zones", oddZones},
}

func oddEverywhere(k *kit) {
	for i, text := range oddTexts {
		n := k.newSession("session " + text)
		n.Workflow, n.Root, n.Labels = k.id(text), k.id("root "+text), map[string]string{text: text}
		n.Key, n.BodyHash, n.State = k.id(text), text, []byte(quote(text))
		n.Claim = &store.Lease{Token: k.token() + text, Owner: text, For: long}
		r := k.create(n)
		d := k.deliver(r.ID, text, store.Request{Kind: store.RequestSignal, Step: text, By: text, Body: []byte(quote(text)), BodyHash: text})
		k.equal("request", d.Request.ID, r.ID+"/"+text)
		c := k.checkpoint(r)
		c.State, c.Counters, c.Transition, c.Seen = []byte(quote(text)), []byte(quote(text)), k.token()+text, 1
		e := execution(r.ID, 1, text)
		e.Function, e.Output, e.Definition = text, []byte(quote(text)), text
		c.Executions = []store.Execution{e}
		m := message(r.ID, 1)
		m.Content, m.Step = text, text
		c.Messages = []function.Message{m}
		c.Applied = []store.RequestOutcome{{ID: d.Request.ID, Outcome: text}}
		c.Blobs = []store.Blob{{Hash: text, Text: []byte(text)}}
		c.Results = []store.StoredResult{{Step: text, Visit: 1, Index: 0, Output: []byte(quote(text))}}
		asking(since(i), text)(&c)
		k.commit(c)
		k.oddRead(text, n, c)
	}
}

// oddRead reads back what oddEverywhere wrote, by the odd text where there is a way.
func (k *kit) oddRead(text string, n store.NewSession, c store.Checkpoint) {
	k.Helper()
	got := k.session("session " + text)
	k.equal("texts", []string{got.Workflow, got.Root, got.Labels[text], string(got.State), string(got.Counters), got.Lease, got.LeaseOwner, got.Transition, string(got.Awaiting)},
		[]string{n.Workflow, n.Root, text, string(c.State), string(c.Counters), n.Claim.Token, text, c.Transition, string(c.Awaiting)})
	es, err := k.store.Executions(k.ctx, n.ID, store.HistoryQuery{Step: text})
	k.noError(err)
	k.equal("executions", len(es), 1)
	k.sameExecution("execution", es[0], c.Executions[0])
	ms, err := k.store.Messages(k.ctx, n.ID, store.HistoryQuery{})
	k.noError(err)
	k.equal("messages", ms, c.Messages)
	all, err := k.store.AllRequests(k.ctx, n.ID, store.HistoryQuery{})
	k.noError(err)
	k.equal("request", []string{all[0].Key, all[0].Step, all[0].By, string(all[0].Body), all[0].BodyHash, all[0].Outcome},
		[]string{text, text, text, quote(text), text, text})
	k.equal("blob", k.blobs("session "+text, text), map[string]string{text: text})
	k.equal("results", k.results("session "+text, text, 1), []string{quote(text)})
	k.lists("labels", store.SessionQuery{Labels: map[string]string{text: text}, Workflow: n.Workflow}, "session "+text)
	k.lists("step", store.SessionQuery{Step: text, Workflow: n.Workflow}, "session "+text)
	k.lists("text", store.SessionQuery{Text: strings.Trim(quote(text), `"`), Workflow: n.Workflow}, "session "+text)
	k.counts(store.SessionQuery{Workflow: n.Workflow}, "step", map[string]int64{n.Workflow + "/" + text: 1})
	again := k.start(n)
	k.noError(again.Err)
	k.equal("the same start exists", again.Exists, true)
}

func oddState(k *kit) {
	for i, text := range []string{
		`{"z":1,"a":1.0,"m":1e3,"m2":1E+3,"n":-0,"big":123456789012345678901234567890.5}`,
		`{"a":"\u00fc","b":"ü","c":"\/","d":"/","e":"\ud83d\ude42","f":"🙂"}`,
		" {\n  \"spaced\" : [ 1 , 2 ]\t}\r\n ",
		`{"a":1,"a":2}`, `{}`, `null`, `""`, `[]`, `this is not JSON`, `{"cut":`, "\u2028 \u00a0 \ufeff",
	} {
		r := k.heldFor(fmt.Sprintf("s%d", i), long)
		c := k.checkpoint(r)
		c.State, c.Counters = []byte(text), []byte(text)
		k.commit(c)
		got := k.session(fmt.Sprintf("s%d", i))
		k.equal("state", string(got.State), text)
		k.equal("counters", string(got.Counters), text)
		n := k.newSession(fmt.Sprintf("new%d", i))
		n.State = []byte(text)
		k.equal("new state", string(k.create(n).State), text)
	}
}

func oddLarge(k *kit) {
	var b strings.Builder
	b.WriteString(`{"items":[`)
	for i := 0; b.Len() < 200_000; i++ {
		fmt.Fprintf(&b, `{"n":%d,"text":"grüße 🙂 it's \"x\" %%"},`, i)
	}
	b.WriteString(`null]}`)
	r := k.held("a")
	c := k.checkpoint(r)
	c.State = []byte(b.String())
	e := execution(r.ID, 1, "large")
	e.Output = []byte(b.String()[:16_000])
	c.Executions = []store.Execution{e}
	m := message(r.ID, 1)
	m.Content = b.String()
	c.Messages = []function.Message{m}
	k.commit(c)
	if got := k.session("a").State; string(got) != b.String() {
		k.Errorf("the state came back with %d bytes, want the same %d", len(got), b.Len())
	}
	ms, err := k.store.Messages(k.ctx, r.ID, store.HistoryQuery{})
	k.noError(err)
	if ms[0].Content != b.String() {
		k.Errorf("the message came back with %d bytes, want the same %d", len(ms[0].Content), b.Len())
	}
}

func oddSteps(k *kit) {
	var steps []graph.Step
	var paths []graph.Path
	for i, text := range oddTexts {
		steps = append(steps, graph.Step{ID: text, Function: text, Input: quote(text), Name: text, Extra: map[string]any{"note": text}})
		if i > 0 {
			paths = append(paths, graph.Path{Kind: graph.Next, Source: oddTexts[i-1], Target: text, Condition: text, Label: text})
		}
	}
	want := k.edited(store.Edit{PutSteps: steps, PutPaths: paths})
	got := k.workflow(k.prefix)
	k.equal("steps, paths, problems", []int{len(got.Steps), len(got.Paths), len(got.Problems)}, []int{len(oddTexts), len(oddTexts) - 1, 0})
	k.sameWorkflow("workflow", got, want)
	for i, text := range oddTexts {
		s := got.Step(text)
		if s == nil {
			k.Fatalf("step %q is not there", text)
		}
		k.equal("texts of "+text, []any{s.Function, s.Input, s.Name, s.Extra["note"]}, []any{text, quote(text), text, text})
		if i > 0 && got.Path(oddTexts[i-1]+">"+text) == nil {
			k.Errorf("path to %q is not there", text)
		}
	}
}

func oddZones(k *kit) {
	zone := time.FixedZone("east", 5*3600+1800)
	r := k.held("a")
	c := k.checkpoint(r)
	asking(since(1), "ask")(&c)
	c.AwaitingSince = since(1).In(zone)
	c.Release, c.DueAt = true, since(2).In(zone)
	e := execution(r.ID, 1, "x")
	want := e
	e.StartedAt, e.FinishedAt = e.StartedAt.In(zone), e.FinishedAt.In(zone)
	c.Executions = []store.Execution{e}
	k.commit(c)
	got := k.session("a")
	k.sameTime("awaiting_since", got.AwaitingSince, since(1))
	k.sameTime("due_at", got.DueAt, since(2))
	es, err := k.store.Executions(k.ctx, r.ID, store.HistoryQuery{})
	k.noError(err)
	k.sameExecution("execution", es[0], want)
}
