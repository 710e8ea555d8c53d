package faultlane

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/engine/store"
)

// A flow is one more sort of session: its workflows, how a client plays one of it to its
// end, and what is true of each such session at rest beyond what is true of all.
type flow struct {
	name      string
	workflows map[string]any // documents, by id
	play      func(ctx context.Context, c *client) error
	hold      func(q *inquest) // of a session that a client started
	holdChild func(q *inquest) // of a session below it
}

// flowsOf are those of these names, all when none is given.
func flowsOf(names ...string) []*flow {
	all := []*flow{
		{name: "children", workflows: familyDocuments(), play: playChildren, hold: holdFamily, holdChild: holdChild},
		{name: "rounds", workflows: roundsDocuments(), play: playRounds, hold: holdRounds},
		{name: "waits", workflows: waitsDocuments(), play: playWaits, hold: holdWaits},
		{name: "batch", workflows: batchDocuments(), play: playBatch, hold: holdBatch},
		{name: "fork", workflows: forkDocuments(), play: playFork, hold: holdFork},
		{name: "edit", play: playEdit, hold: holdEdit},
	}
	if len(names) == 0 {
		return all
	}
	return slices.DeleteFunc(all, func(f *flow) bool { return !slices.Contains(names, f.name) })
}

// flow plays one session of a flow, or several.
func (c *client) flow(ctx context.Context, f *flow) error {
	err := f.play(ctx, c)
	if err != nil && ctx.Err() == nil && !errors.Is(err, errLeft) {
		c.to.violate("client %s: %s: %v", c.name, f.name, err)
	}
	return err
}

// startFlow starts a session of a workflow, with an id of its own or one that the engine makes.
func (c *client) startFlow(ctx context.Context, flow, workflow string, inputs map[string]any, told any) (*promise, error) {
	c.count++
	name := fmt.Sprintf("%s-%s-%d", c.name, flow, c.count)
	body := map[string]any{"workflow": workflow, "inputs": inputs}
	if c.rng.IntN(3) > 0 {
		body["id"] = name
	}
	id, err := c.begin(ctx, "/api/v1/sessions", name, body)
	if err != nil {
		return nil, err
	}
	return c.to.startedFlow(id, flow, told), nil
}

// putFlows stores the workflows of flows.
func putFlows(t *testing.T, w *wire, flows []*flow) {
	t.Helper()
	for _, f := range flows {
		for id, document := range f.workflows {
			got, err := w.send(t.Context(), http.MethodPut, "/api/v1/workflows/"+id, "", document)
			if err != nil || got.status >= 300 {
				t.Fatalf("put the workflow %s: %v %+v", id, err, got)
			}
		}
	}
}

// maybe is a look at which something is done, one time in n, else -1.
func (c *client) maybe(n int) int {
	if c.rng.IntN(n) > 0 {
		return -1
	}
	return c.rng.IntN(8)
}

// The oracle's side.

// outputOf is the output of the visit with which a step ended.
func (q *inquest) outputOf(v visit) json.RawMessage {
	if list := q.ended[v]; len(list) > 0 {
		return list[0].Output
	}
	return nil
}

// complete reports whether all that the flow wants has to be there.
func (q *inquest) complete() bool { return q.t.record.Status == engine.StatusComplete }

// visitsOf is how often a step has ended.
func (q *inquest) visitsOf(step string) int {
	n := 0
	for v := range q.ended {
		if v.step == step {
			n++
		}
	}
	return n
}

// times wants each step to have ended so often in a complete session, at most so often in
// another one, and nothing else to have ended but the steps that are left to the flow.
func (q *inquest) times(want map[string]int, left ...string) {
	seen := map[string]bool{}
	for v := range q.ended {
		seen[v.step] = true
	}
	for step := range seen {
		if _, there := want[step]; !there && !slices.Contains(left, step) {
			q.violate("%s has run; the graph leads nobody there", step)
		}
	}
	for step, n := range want {
		if got := q.visitsOf(step); got > n || q.complete() && got < n {
			q.violate("%s has ended %d times, the graph says %d", step, got, n)
		}
		for v := range q.ended {
			if v.step == step && v.n > n {
				q.violate("%s has run, the graph says %d visits", v, n)
			}
		}
		if status := q.t.statuses[step]; q.complete() && n > 0 && status != engine.StatusComplete {
			q.violate("step %s is %q in the state of a complete session", step, status)
		}
	}
}

// steered: a pause or resume that was acknowledged has done what it says.
func (q *inquest) steered() {
	for _, r := range q.t.requests {
		switch {
		case q.t.record.Status == engine.StatusCancelled:
		case r.Kind == engine.RequestPause && !strings.HasPrefix(r.Outcome, "paused"):
			q.violate("pause %s was taken and did nothing: %s", r.ID, r.Outcome)
		case r.Kind == engine.RequestResume && r.Outcome != "resumed":
			q.violate("resume %s was taken and did nothing: %s", r.ID, r.Outcome)
		}
	}
}

// effectsHeld: each visit with an effect was called, and what counts is what it answered.
func (q *inquest) effectsHeld() {
	for v, list := range q.ended {
		if hasEffect(list[0]) {
			q.effect(v, list[0])
		}
	}
}

// ---- children: a map of sessions with an effect each, a subflow that asks, an effect after them.

func familyDocuments() map[string]any {
	return map[string]any{
		"family": map[string]any{
			"steps": []any{
				step("root", "variable", `{"items": "@{SESSION_ID}.items"}`),
				step("kids", "map", `{"items": "@{SESSION_ID}.root.items", "workflow": "kid", "concurrency": 3}`),
				step("own", "map", `{"items": "@{SESSION_ID}.root.items"}`),
				step("task", "side.task", `{"item": "@{SESSION_ID}.item"}`, "retry", retry),
				step("named", "template", `{"template": "@{SESSION_ID}.task.token"}`),
				step("talk", "subflow", `{"workflow": "talk"}`),
				step("total", "side.total", `{"kids": "@{SESSION_ID}.kids.text", "talk": "@{SESSION_ID}.talk.text"}`, "join", "all", "retry", retry),
				step("end", "reply", `{"message": "@{SESSION_ID}.total.token"}`),
			},
			"paths": []any{path("root", "kids"), path("root", "own"), path("root", "talk"), path("kids", "total"), path("own", "total"), path("talk", "total"), path("total", "end"),
				map[string]any{"kind": "CONTAINS", "source": "own", "target": "task"}, map[string]any{"kind": "CONTAINS", "source": "own", "target": "named"}, path("task", "named")},
		},
		"kid": map[string]any{
			"steps": []any{
				step("root", "variable", `{"item": "@{SESSION_ID}.item"}`),
				step("work", "side.work", `{"item": "@{SESSION_ID}.root.item"}`, "retry", retry),
				step("done", "template", `{"template": "@{SESSION_ID}.work.token"}`),
			},
			"paths": []any{path("root", "work"), path("work", "done")},
		},
		"talk": map[string]any{
			"steps": []any{
				step("root", "request", `{"prompt": "what?"}`),
				step("book", "side.book", `{"answer": "@{SESSION_ID}.root.response"}`, "retry", retry),
				step("done", "template", `{"template": "@{SESSION_ID}.book.token"}`),
			},
			"paths": []any{path("root", "book"), path("book", "done")},
		},
	}
}

// playChildren pauses and resumes parents while their children end, and sends children
// signals that none of them hears.
func playChildren(ctx context.Context, c *client) error {
	items := make([]int, 1+c.rng.IntN(6))
	for i := range items {
		items[i] = c.rng.IntN(1000)
	}
	p, err := c.startFlow(ctx, "children", "family", map[string]any{"items": items}, items)
	if err != nil {
		return err
	}
	d := doings{cancelAt: c.maybe(8), pauseAt: c.maybe(2)}
	d.each = func(_ *shown, look int) (bool, error) {
		if c.rng.IntN(4) > 0 {
			return false, nil
		}
		below := fmt.Sprintf("%s/%s/1/%d", p.session, []string{"kids", "own"}[c.rng.IntN(2)], c.rng.IntN(len(items)))
		got, err := c.wire.send(ctx, http.MethodPost, "/api/v1/sessions/"+url.PathEscape(below)+"/signal", fmt.Sprintf("hello-%d", look), map[string]any{"name": "hello"})
		if err == nil && got.status == http.StatusOK {
			c.to.count(func(t *tally) { t.Signals++ })
		}
		return false, err // one that has not begun or has ended is refused, which is an answer
	}
	return c.attend(ctx, p, d)
}

func holdFamily(q *inquest) {
	items := q.p.told.([]int)
	q.times(map[string]int{"root": 1, "kids": 1, "own": 1, "talk": 1, "total": 1, "end": 1})
	ends := map[string]int{}
	for _, r := range q.t.requests {
		var e struct{ Session string }
		if r.Kind == store.RequestChild && json.Unmarshal(r.Body, &e) == nil {
			ends[e.Session]++
			if q.complete() && r.Outcome != "noted" {
				q.violate("the end of child %s was not noted: %s", e.Session, r.Outcome)
			}
		}
	}
	want := []string{q.p.session + "/talk/1/0"}
	for i := range items {
		want = append(want, fmt.Sprintf("%s/kids/1/%d", q.p.session, i), fmt.Sprintf("%s/own/1/%d", q.p.session, i))
	}
	for _, id := range q.below() {
		if !slices.Contains(want, id) {
			q.violate("child %s is one too many", id)
		}
	}
	if !q.complete() {
		return
	}
	for _, id := range want {
		if ends[id] != 1 {
			q.violate("the end of child %s has reached it %d times", id, ends[id])
		}
	}
	for step, last := range map[string]string{"kids": "work", "own": "task"} {
		var tokens []string
		for i := range items {
			tokens = append(tokens, q.tokenOf(fmt.Sprintf("%s/%s/1/%d", q.p.session, step, i), visit{last, 1}))
		}
		if got, want := field(q.outputOf(visit{step, 1}), "text"), strings.Join(tokens, "\n"); got != want {
			q.violate("%s gave %q, its children %q", step, got, want)
		}
	}
}

func holdChild(q *inquest) {
	steps := map[string]int{"root": 1, "work": 1, "done": 1}
	switch {
	case strings.Contains(q.p.session, "/talk/"):
		steps = map[string]int{"root": 1, "book": 1, "done": 1}
	case strings.Contains(q.p.session, "/own/"):
		steps = map[string]int{"task": 1, "named": 1}
	}
	q.times(steps)
}

// ---- rounds: containers with effects and questions in their bodies, paused in the middle.

func roundsDocuments() map[string]any {
	within := func(container string, steps ...string) []any {
		var all []any
		for _, s := range steps {
			all = append(all, map[string]any{"kind": "CONTAINS", "source": container, "target": s})
		}
		return all
	}
	paths := []any{path("root", "each"), path("work", "note"), path("each", "over"), path("root", "beside"), path("hear", "say"), path("over", "end"), path("beside", "end"), path("talk", "book")}
	paths = append(paths, within("each", "work", "note")...)
	paths = append(paths, within("over", "talk", "book")...)
	paths = append(paths, within("beside", "hear", "say")...)
	return map[string]any{"rounds": map[string]any{
		"steps": []any{
			step("root", "variable", `{"items": "@{SESSION_ID}.items"}`),
			step("each", "iterate", `{"items": "@{SESSION_ID}.root.items"}`),
			step("work", "side.work", `{"item": "@{SESSION_ID}.each.item"}`, "retry", retry),
			step("note", "template", `{"template": "@{SESSION_ID}.each.item: @{SESSION_ID}.work.token"}`),
			step("over", "loop", `{"count": "@{SESSION_ID}.count"}`),
			step("talk", "request", `{"prompt": "round @{SESSION_ID}.over.index"}`),
			step("book", "side.book", `{"answer": "@{SESSION_ID}.talk.response"}`, "retry", retry),
			step("beside", "iterate", `{"items": "@{SESSION_ID}.root.items"}`),
			step("hear", "wait", `{"for": "30ms"}`),
			step("say", "template", `{"template": "@{SESSION_ID}.beside.item"}`),
			step("end", "reply", `{"message": "@{SESSION_ID}.over.text"}`, "join", "all"),
		},
		"paths": paths,
	}}
}

type roundsTold struct {
	Items []int
	Count int
}

func playRounds(ctx context.Context, c *client) error {
	told := roundsTold{Items: make([]int, 1+c.rng.IntN(5)), Count: 1 + c.rng.IntN(3)}
	for i := range told.Items {
		told.Items[i] = 100 + i
	}
	p, err := c.startFlow(ctx, "rounds", "rounds", map[string]any{"items": told.Items, "count": told.Count}, told)
	if err != nil {
		return err
	}
	return c.attend(ctx, p, doings{cancelAt: c.maybe(10), pauseAt: c.rng.IntN(10)})
}

func holdRounds(q *inquest) {
	told := q.p.told.(roundsTold)
	n := len(told.Items)
	q.times(map[string]int{"root": 1, "each": 1, "work": n, "note": n, "over": 1, "talk": told.Count, "book": told.Count, "beside": 1, "hear": n, "say": n, "end": 1})
	var lines []string
	for i, item := range told.Items {
		if token := q.token(visit{"work", i + 1}); token != "" {
			lines = append(lines, fmt.Sprintf("%d: %s", item, token))
		}
		for _, x := range q.ended[visit{"work", i + 1}] {
			if want := fmt.Sprintf(`{"item":%d}`, item); string(x.Input) != want {
				q.violate("round %d worked on %s, want %s", i, x.Input, want)
			}
		}
	}
	if got, want := field(q.outputOf(visit{"each", 1}), "text"), strings.Join(lines, "\n"); q.complete() && got != want {
		q.violate("each gave %q, its rounds %q", got, want)
	}
	for i := 1; i <= told.Count; i++ {
		for _, x := range q.ended[visit{"book", i}] {
			if got, want := field(x.Input, "answer"), q.response(visit{"talk", i}); got != want {
				q.violate("book/%d ran with the answer %q, want %q", i, got, want)
			}
		}
	}
}

// ---- waits: a time, signals sent before or while they are waited for, and one with a time limit.

func waitsDocuments() map[string]any {
	return map[string]any{"waits": map[string]any{
		"steps": []any{
			step("root", "variable", `{"nap": "@{SESSION_ID}.nap"}`),
			step("nap", "wait", `{"for": "@{SESSION_ID}.root.nap"}`),
			step("hear", "wait", `{"signal": "go"}`),
			step("book", "side.book", `{"rounds": "@{SESSION_ID}.rounds", "heard": "@{SESSION_ID}.hear.body"}`, "retry", retry),
			step("late", "wait", `{"signal": "late", "timeout": "@{SESSION_ID}.root.nap"}`),
			step("end", "reply", `{"message": "heard"}`, "join", "all"),
		},
		"paths": []any{path("root", "nap"), path("root", "late"), path("nap", "hear"), path("hear", "book"),
			map[string]any{"source": "book", "target": "hear", "back": true, "condition": `[{"true": "@{SESSION_ID}.book.more"}]`},
			path("book", "end", `[{"false": "@{SESSION_ID}.book.more"}]`), path("late", "end")},
	}}
}

type waitsTold struct {
	Nap    time.Duration
	Rounds int
	Late   bool // the signal late was acknowledged
}

func playWaits(ctx context.Context, c *client) error {
	told := &waitsTold{Nap: time.Duration(20+c.rng.IntN(1200)) * time.Millisecond, Rounds: 1 + c.rng.IntN(4)}
	p, err := c.startFlow(ctx, "waits", "waits", map[string]any{"nap": told.Nap.String(), "rounds": told.Rounds}, told)
	if err != nil {
		return err
	}
	sent, lateAt := 0, time.Now().Add(told.Nap-time.Duration(c.rng.IntN(60))*time.Millisecond)
	d := doings{cancelAt: c.maybe(12), pauseAt: c.maybe(3)}
	d.each = func(_ *shown, look int) (bool, error) {
		if !lateAt.IsZero() && time.Now().After(lateAt) {
			lateAt = time.Time{}
			taken, err := c.steer(ctx, p.session, "signal", "late", map[string]any{"name": "late", "body": "late"})
			told.Late = taken
			return false, err
		}
		if sent == told.Rounds || c.rng.IntN(3) == 0 {
			return false, nil
		}
		sent++
		c.to.count(func(t *tally) { t.Signals++ })
		for range 1 + c.rng.IntN(2) { // twice under one key is once
			if taken, err := c.steer(ctx, p.session, "signal", fmt.Sprintf("go-%d", sent), map[string]any{"name": "go", "body": sent}); err != nil || !taken {
				return false, err
			}
		}
		return false, nil
	}
	return c.attend(ctx, p, d)
}

func holdWaits(q *inquest) {
	told := q.p.told.(*waitsTold)
	q.times(map[string]int{"root": 1, "nap": 1, "late": 1, "hear": told.Rounds, "book": told.Rounds, "end": 1})
	for _, x := range q.ended[visit{"nap", 1}] {
		if slept := x.FinishedAt.Sub(x.StartedAt); slept < told.Nap-10*time.Millisecond {
			q.violate("nap took %s, want %s", slept, told.Nap)
		}
	}
	heard, late := 0, 0
	for _, r := range q.t.requests {
		var b struct {
			Name string
			Body json.RawMessage
		}
		if r.Kind != engine.RequestSignal || json.Unmarshal(r.Body, &b) != nil {
			continue
		}
		if b.Name == "late" {
			late++
			continue
		}
		heard++
		if got := rawField(q.outputOf(visit{"hear", heard}), "body"); q.complete() && got != string(b.Body) {
			q.violate("signal %d of the inbox carries %s, hear/%d heard %q", heard, b.Body, heard, got)
		}
	}
	if q.complete() && heard != told.Rounds {
		q.violate("the inbox has %d signals go, its client sent %d", heard, told.Rounds)
	}
	if late > 1 || told.Late && late == 0 {
		q.violate("the inbox has the signal late %d times, acknowledged: %t", late, told.Late)
	}
	if q.complete() && told.Late {
		q.lateHeard(q.outputOf(visit{"late", 1}))
	}
}

// lateHeard: what the request says of the signal late is what the step says of it.
func (q *inquest) lateHeard(out json.RawMessage) {
	for _, r := range q.t.requests {
		if r.Kind == engine.RequestSignal && rawField(r.Body, "name") == `"late"` {
			taken := strings.HasPrefix(r.Outcome, "taken by step late")
			before := r.Outcome == "kept" && rawField(out, "timed_out") == "false" // sent before it was waited for
			if !taken && !before && rawField(out, "timed_out") != "true" || taken && rawField(out, "timed_out") == "true" {
				q.violate("the signal late was %q, and the step gave %s", r.Outcome, out)
			}
		}
	}
}

// rawField is the text of a field as it stands.
func rawField(object json.RawMessage, name string) string {
	var all map[string]json.RawMessage
	_ = json.Unmarshal(object, &all) // no object has no fields
	return string(all[name])
}

// ---- batch: sessions that one batch answers and another one resumes.

func batchDocuments() map[string]any {
	return map[string]any{"batched": map[string]any{
		"steps": []any{
			step("root", "request", `{"prompt": "?"}`),
			step("book", "side.book", `{"answer": "@{SESSION_ID}.root.response"}`, "retry", retry),
			step("end", "reply", `{"message": "@{SESSION_ID}.book.token"}`),
		},
		"paths": []any{path("root", "book"), path("book", "end")},
	}}
}

// batchTold counts the requests that batches were to give a session.
type batchTold struct {
	Response string
	Resumed  bool
}

func playBatch(ctx context.Context, c *client) error {
	var all []*promise
	for range 2 + c.rng.IntN(6) {
		p, err := c.startFlow(ctx, "batch", "batched", map[string]any{}, &batchTold{})
		if err != nil {
			return err
		}
		all = append(all, p)
	}
	if err := c.allAre(ctx, all, "awaiting_input"); err != nil {
		return err
	}
	paused := c.rng.IntN(2) == 0
	if paused {
		for _, p := range all {
			if _, err := c.steer(ctx, p.session, "pause", "pause", map[string]any{}); err != nil {
				return err
			}
		}
	}
	var answers, resumes []any
	for i, p := range all {
		told := p.told.(*batchTold)
		told.Response, told.Resumed = fmt.Sprintf("batch %d of %s", i, p.session), paused
		answers = append(answers, map[string]any{"session": p.session, "step": "root", "response": told.Response})
		resumes = append(resumes, map[string]any{"session": p.session})
	}
	c.count++
	if err := c.batch(ctx, fmt.Sprintf("%s-answers-%d", c.name, c.count), "answer", answers); err != nil {
		return err
	}
	if paused {
		if err := c.batch(ctx, fmt.Sprintf("%s-resumes-%d", c.name, c.count), "resume", resumes); err != nil {
			return err
		}
	}
	return c.allAre(ctx, all, "complete")
}

// allAre waits until sessions have a status.
func (c *client) allAre(ctx context.Context, all []*promise, status string) error {
	for _, p := range all {
		var seen string
		var err error
		ok := until(ctx, c.calm, func() bool {
			var s *shown
			if s, err = c.look(ctx, p); err != nil {
				return true
			}
			seen = s.Status
			return seen == status
		})
		if err != nil {
			return c.leave(ctx, p, err)
		}
		if !ok {
			return c.leave(ctx, p, fmt.Errorf("it is %s, want %s", seen, status))
		}
	}
	return nil
}

// batch starts a batch, stops it and lets it go on now and then, and waits until it has done
// all its items.
func (c *client) batch(ctx context.Context, key, action string, items []any) error {
	body := map[string]any{"action": action, "items": items}
	if c.rng.IntN(2) == 0 {
		body["rate"] = 20
	}
	var b struct {
		ID     string
		Status string
		Total  int
		Done   int
		Failed int
	}
	for range 1 + c.rng.IntN(2) { // twice under one key is once
		got, err := c.wire.send(ctx, http.MethodPost, "/api/v1/batches", key, body)
		if err != nil {
			return err
		}
		before := b.ID
		if err := got.as("batch "+key, &b); err != nil {
			return err
		}
		if before != "" && before != b.ID {
			return fmt.Errorf("batch %s was acknowledged as %s and as %s", key, before, b.ID)
		}
	}
	c.to.count(func(t *tally) { t.Batches++ })
	c.to.pulse.beat()
	route := "/api/v1/batches/" + b.ID
	if c.rng.IntN(3) == 0 {
		for _, what := range []string{"stop", "continue"} {
			got, err := c.wire.send(ctx, http.MethodPost, route+"/"+what, key+what, map[string]any{})
			if err == nil {
				err = got.as(what+" batch", &b)
			}
			if err != nil {
				return err
			}
		}
	}
	var err error
	done := until(ctx, c.calm, func() bool {
		var got *reply
		if got, err = c.wire.send(ctx, http.MethodGet, route, "", nil); err == nil {
			err = got.as("batch", &b)
		}
		return err != nil || b.Status == "complete"
	})
	if err == nil && (!done || b.Done != len(items) || b.Failed > 0 || b.Total != len(items)) {
		err = fmt.Errorf("batch %s of %d items: %+v", key, len(items), b)
	}
	return err
}

func holdBatch(q *inquest) {
	told := q.p.told.(*batchTold)
	q.times(map[string]int{"root": 1, "book": 1, "end": 1})
	count := map[string]int{}
	for _, r := range q.t.requests {
		count[r.Kind]++
		if r.Kind == engine.RequestAnswer && text(r.Body) != told.Response {
			q.violate("a batch gave it %s, want %q", r.Body, told.Response)
		}
	}
	resumes := 0
	if told.Resumed {
		resumes = 1
	}
	if !q.p.gaveUp && (count[engine.RequestAnswer] != 1 || count[engine.RequestResume] != resumes) {
		q.violate("batches have touched it with %v, want one answer and %d resumes", count, resumes)
	}
}

// ---- fork: a fork of a session at rest or one that waits, whose source stays as it is.

func forkDocuments() map[string]any {
	return map[string]any{"forked": map[string]any{
		"steps": []any{
			step("root", "variable", `{"n": "@{SESSION_ID}.n"}`),
			step("charge", "side.charge", `{"n": "@{SESSION_ID}.root.n"}`, "retry", retry),
			step("ask", "request", `{"prompt": "?"}`),
			step("book", "side.book", `{"answer": "@{SESSION_ID}.ask.response", "charge": "@{SESSION_ID}.charge.token"}`, "retry", retry),
			step("end", "reply", `{"message": "@{SESSION_ID}.book.token"}`),
		},
		"paths": []any{path("root", "charge"), path("charge", "ask"), path("ask", "book"), path("book", "end")},
	}}
}

// forkTold is what a client knows of a source, or of a fork.
type forkTold struct {
	State  string   // of a source that has ended, when it was forked
	Source *promise // of a fork
	At     string   // the step that the fork makes again
}

func playFork(ctx context.Context, c *client) error {
	source, err := c.startFlow(ctx, "fork", "forked", map[string]any{"n": c.rng.IntN(1000)}, &forkTold{})
	if err != nil {
		return err
	}
	waiting := c.rng.IntN(3) == 0
	if waiting {
		if err := c.allAre(ctx, []*promise{source}, "awaiting_input"); err != nil {
			return err
		}
	} else if err := c.attend(ctx, source, none()); err != nil {
		return err
	}
	before, err := c.stateOf(ctx, source)
	if err != nil {
		return c.leave(ctx, source, err)
	}
	steps := []string{"charge", "ask", "book"}
	if waiting {
		steps = steps[:2]
	}
	at := steps[c.rng.IntN(len(steps))]
	c.count++
	key, body := fmt.Sprintf("fork-%s-%d", c.name, c.count), map[string]any{"step": at, "visit": 1}
	id := ""
	for range 1 + c.rng.IntN(2) {
		got, err := c.wire.send(ctx, http.MethodPost, "/api/v1/sessions/"+source.session+"/fork", key, body)
		var s shown
		if err == nil {
			err = got.as("fork", &s)
		}
		if err == nil && id != "" && s.ID != id {
			err = fmt.Errorf("fork %s was acknowledged as %s and as %s", key, id, s.ID)
		}
		if err != nil {
			return c.leave(ctx, source, err)
		}
		id = s.ID
	}
	c.to.count(func(t *tally) { t.Forks++ })
	fork := c.to.startedFlow(id, "fork", &forkTold{Source: source, At: at})
	after, err := c.stateOf(ctx, source)
	if err == nil && after.State != before.State { // word of a lost call changes the version
		err = fmt.Errorf("its fork has changed it from %s to %s", before.State, after.State)
	}
	if err != nil {
		return c.leave(ctx, source, err)
	}
	if waiting {
		if err := c.attend(ctx, source, none()); err != nil {
			return err
		}
	} else {
		*source.told.(*forkTold) = *before
	}
	return c.attend(ctx, fork, doings{cancelAt: -1, pauseAt: c.maybe(3)})
}

// stateOf is the state of a session.
func (c *client) stateOf(ctx context.Context, p *promise) (*forkTold, error) {
	got, err := c.wire.send(ctx, http.MethodGet, "/api/v1/sessions/"+p.session+"/state", "", nil)
	if err != nil {
		return nil, err
	}
	if got.status != http.StatusOK {
		return nil, fmt.Errorf("state: status %d: %s", got.status, got.body)
	}
	return &forkTold{State: string(got.body)}, nil
}

func holdFork(q *inquest) {
	told := q.p.told.(*forkTold)
	if told.State != "" && strings.TrimSpace(told.State) != string(q.t.record.State) {
		q.violate("it was %s when it was forked and is %s", told.State, q.t.record.State)
	}
	order := []string{"root", "charge", "ask", "book", "end"}
	if told.Source == nil {
		q.times(map[string]int{"root": 1, "charge": 1, "ask": 1, "book": 1, "end": 1})
		return
	}
	again := order[slices.Index(order, told.At):]
	for _, step := range order {
		n := 0
		for v := range q.ended {
			if v.step == step {
				n++
			}
		}
		if want := slices.Contains(again, step); (n == 1) != want || n > 1 {
			q.violate("%s has ended %d times in a fork at %s", step, n, told.At)
		}
	}
	// What stood before the fork's step is the source's.
	if source := q.traces[told.Source.session]; source != nil && !slices.Contains(again, "charge") {
		if got, want := q.t.outputs["charge"], source.outputs["charge"]; len(got) != 1 || len(want) != 1 || string(got[0]) != string(want[0]) {
			q.violate("charge is %s in a fork, %s in its source", got, want)
		}
	}
}

// ---- edit: a workflow of the client's own, edited while its sessions run.

// edits are what a client knows of the workflow that it edits.
type edits struct {
	version int    // acknowledged
	begun   int    // sent
	tag     string // ETag of version
	gone    bool   // ask is not there now
}

type editTold struct {
	Floor, Ceiling int  // of the versions that said may have
	Moved          bool // the step ask was gone, and the session was moved on
}

func (c *client) editedID() string { return "edit-" + c.name }

// document is version n of the client's workflow, with or without its question.
func (c *client) document(n int, gone bool) map[string]any {
	steps := []any{
		step("root", "variable", `{"n": 1}`),
		step("ask", "request", `{"prompt": "?"}`),
		step("said", "template", fmt.Sprintf(`{"template": "v%d of @{SESSION_ID}.ask.response"}`, n)),
		step("book", "side.book", `{"said": "@{SESSION_ID}.said.text"}`, "retry", retry),
		step("end", "reply", `{"message": "@{SESSION_ID}.book.token"}`),
	}
	paths := []any{path("root", "ask"), path("ask", "said"), path("said", "book"), path("book", "end")}
	if gone {
		steps, paths = slices.Delete(steps, 1, 2), paths[2:]
	}
	return map[string]any{"description": fmt.Sprintf("v%d", n), "steps": steps, "paths": paths, "force": true}
}

// edit writes the next version. An attempt whose reply was lost may have written it: a
// version_mismatch is looked into.
func (c *client) edit(ctx context.Context, gone bool) error {
	n := c.edits.begun + 1
	c.edits.begun = n
	route := "/api/v1/workflows/" + c.editedID()
	got, err := c.wire.sendMatching(ctx, http.MethodPut, route, "", c.edits.tag, c.document(n, gone))
	if err != nil {
		return err
	}
	if got.slug == "version_mismatch" {
		if got, err = c.wire.send(ctx, http.MethodGet, route, "", nil); err != nil {
			return err
		}
		var now struct{ Description string }
		if err := got.as("workflow", &now); err != nil || now.Description != fmt.Sprintf("v%d", n) {
			return fmt.Errorf("edit %d of %s was refused over %q: %w", n, c.editedID(), now.Description, err)
		}
	}
	if got.status >= 300 {
		return fmt.Errorf("edit %d of %s: status %d: %s", n, c.editedID(), got.status, got.body)
	}
	c.edits.version, c.edits.tag, c.edits.gone = n, got.tag, gone
	c.to.count(func(t *tally) { t.Edits++ })
	c.to.pulse.beat()
	return nil
}

func playEdit(ctx context.Context, c *client) error {
	if c.edits.version == 0 || c.edits.gone {
		if err := c.edit(ctx, false); err != nil {
			return err
		}
	}
	told := &editTold{}
	p, err := c.startFlow(ctx, "edit", c.editedID(), map[string]any{}, told)
	if err != nil {
		return err
	}
	if err := c.allAre(ctx, []*promise{p}, "awaiting_input"); err != nil {
		return err
	}
	remove := c.rng.IntN(3) == 0
	for range 1 + c.rng.IntN(3) {
		if err := c.edit(ctx, false); err != nil {
			return c.leave(ctx, p, err)
		}
	}
	if remove {
		if err := c.edit(ctx, true); err != nil {
			return c.leave(ctx, p, err)
		}
	}
	told.Floor = c.edits.version
	if err := c.submit(ctx, c.wire, p, visit{"ask", 1}, 1, "a", "answer of "+p.session); err != nil {
		return c.leave(ctx, p, err)
	}
	if remove {
		if err := c.revive(ctx, p); err != nil {
			return c.leave(ctx, p, err)
		}
		told.Moved = true
	}
	told.Ceiling = c.edits.begun
	return c.attend(ctx, p, none())
}

// revive waits for the error that names the step that is gone, puts the step back and moves
// the session on.
func (c *client) revive(ctx context.Context, p *promise) error {
	var last *shown
	var err error
	ok := until(ctx, c.calm, func() bool {
		last, err = c.look(ctx, p)
		return err != nil || last.Status == "error" || last.Status == "complete"
	})
	if err != nil {
		return err
	}
	if !ok || last.Error == nil || last.Error.Kind != function.KindStepGone {
		return fmt.Errorf("its question's step is gone: it is %s, %+v", last.Status, last.Error)
	}
	if err := c.edit(ctx, false); err != nil {
		return err
	}
	taken, err := c.steer(ctx, p.session, "move", "move", map[string]any{"from": "ask", "to": "said"})
	if err != nil || !taken {
		return errors.Join(err, fmt.Errorf("the move was refused: %t", !taken))
	}
	ok = until(ctx, c.calm, func() bool { // the error is shown until the move is applied
		last, err = c.look(ctx, p)
		return err != nil || last.Status != "error"
	})
	if err == nil && !ok {
		err = fmt.Errorf("moved, and still in error: %+v", last.Error)
	}
	return err
}

func holdEdit(q *inquest) {
	told := q.p.told.(*editTold)
	q.times(map[string]int{"root": 1, "said": 1, "book": 1, "end": 1}, "ask")
	want := engine.StatusComplete
	if told.Moved {
		want = engine.StatusCancelled
	}
	if got := q.t.statuses["ask"]; q.complete() && got != want {
		q.violate("step ask is %q, want %q", got, want)
	}
	var n int
	said := field(q.outputOf(visit{"said", 1}), "text")
	_, err := fmt.Sscanf(said, "v%d of", &n)
	if q.complete() && (err != nil || n < told.Floor || n > told.Ceiling) {
		q.violate("it said %q after version %d was acknowledged and before %d was begun", said, told.Floor, told.Ceiling+1)
	}
}
