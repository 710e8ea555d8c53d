package session

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/engine/graph"
	"github.com/stepgraph/stepgraph/engine/internal/retry"
	"github.com/stepgraph/stepgraph/engine/state"
	"github.com/stepgraph/stepgraph/engine/store"
	"github.com/stepgraph/stepgraph/internal/jsontext"
	"github.com/tidwall/gjson"
)

// maxDepth is the deepest nesting of child sessions.
const maxDepth = 16

// children runs the child sessions that a step has started: subflows and the elements of a map.
// The step's call is suspended until they have ended (see suspendedCall). A child session is a
// session with its own lease, so any engine may run it; its end arrives as a request in the
// parent's inbox.
type children struct{ *visits }

// beginChildren creates the first child sessions of a step.
func (r *children) beginChildren(res *attemptResult, q *function.RunSessions) *store.Execution {
	a := res.attempt
	for i, c := range q.Sessions {
		if problem := r.checkChild(a.compiled, c); problem != "" {
			return r.failStep(a.step, failure{kind: function.KindBadInput, final: true, info: res.info(), message: fmt.Sprintf("session %d: %s", i, problem)})
		}
	}
	list, err := jsontext.Marshal(q.Sessions)
	if err != nil {
		return r.badHandover(res, "sessions: %v", err)
	}
	d := r.suspend(res)
	if d.Children == nil {
		d.Children = &state.Children{}
	}
	if err := r.renewChildren(d.Children, list, q); err != nil {
		return r.failStep(a.step, failure{kind: function.KindFailed, info: res.info(), message: err.Error()})
	}
	r.settle(a.step, d)
	return nil
}

func (r *children) checkChild(step *graph.CompiledStep, c function.ChildSession) string {
	var above []string
	if p := r.state.Parent(); p != nil {
		above = p.Above
	}
	if len(above) >= maxDepth {
		return fmt.Sprintf("sessions are nested %d deep: %s", maxDepth, strings.Join(append(above, r.workflow), " > "))
	}
	if len(c.Inputs) > 0 && (!json.Valid(c.Inputs) || !gjson.ParseBytes(c.Inputs).IsObject()) {
		return "inputs: want an object"
	}
	if c.Body {
		if len(step.Starts) == 0 {
			return fmt.Sprintf("step %q names no workflow and contains no steps", step.ID)
		}
		return ""
	}
	if c.Workflow == "" {
		return "workflow: is missing"
	}
	for _, w := range append(append([]string(nil), above...), r.workflow) {
		if w == c.Workflow {
			return fmt.Sprintf("workflow %q runs inside itself: %s > %s", c.Workflow, strings.Join(append(append([]string(nil), above...), r.workflow), " > "), c.Workflow)
		}
	}
	return ""
}

// settle starts child sessions up to the step's concurrency limit. When all have ended, the step
// is ready to be called again.
func (r *children) settle(id string, d *state.Suspended) (moved bool) {
	k := d.Children
	if r.state.Resting() {
		return false
	}
	if k.More() {
		list, err := r.keptText(k.Sessions)
		if err != nil {
			r.failStepFor(id, failure{kind: function.KindFailed, message: err.Error(), final: true})
			return true
		}
		all := gjson.ParseBytes(list).Array()
		for k.More() {
			if i := k.Take(); !r.createChild(id, d, i, all[i].Raw) {
				return true
			}
			moved = true
		}
	}
	if k.Ended() {
		d.Ready = true
		moved = true
	}
	if moved {
		r.unwritten.touch()
	}
	return moved
}

func (r *children) resume(ctx context.Context, id string, d *state.Suspended, call *function.Call) error {
	if d.Renew {
		return nil // called as the first time: the function returns the list of child sessions
	}
	results, err := r.childResults(ctx, id, d)
	call.Body = &function.BodyOutcome{Results: results, Rounds: d.Children.Count}
	return err
}

// retry restarts the failed child sessions, or calls the function again to list them anew.
func (r *children) retry(_ string, d *state.Suspended) {
	switch {
	case d.Renew:
		d.Ready = true
	case len(d.Children.Failed) > 0:
		d.Children.RetryFailed()
		d.Ready = false
	}
}

func (r *children) drop(d *state.Suspended) { r.dropText(d.Children.Sessions) }

// childID returns the id of a child session, in a form that a caller's own session id cannot take.
func childID(parent, step string, visit, index, try int) string {
	id := fmt.Sprintf("%s/%s/%d/%d", parent, step, visit, index)
	if try > 0 {
		id = fmt.Sprintf("%s~%d", id, try)
	}
	return id
}

// createChild adds the creation of a child session to the next checkpoint.
func (r *children) createChild(id string, d *state.Suspended, index int, spec string) bool {
	var c function.ChildSession
	if err := json.Unmarshal([]byte(spec), &c); err != nil {
		r.failStepFor(id, failure{kind: function.KindBadInput, message: err.Error(), final: true})
		return false
	}
	if r.trial != nil {
		r.invalidate(errDeliverFirst)
		return false
	}
	problem, err := r.e.descent.mayStartChild(r.ctx, r.e.Store, r.root, r.e.MaxChildren)
	if err != nil { // not refused: a store that fails is reported when the checkpoint is written
		r.log.Warn("descendants not counted", logError, err)
	}
	if problem != "" {
		r.failStepFor(id, failure{kind: function.KindLimit, message: problem, final: true})
		return false
	}
	entry := c.Entry
	if entry == "" {
		entry = graph.DefaultEntry
	}
	workflow, starts := c.Workflow, []string{entry}
	parent := &state.Parent{Session: r.id, Step: id, Visit: d.Visit, Index: index}
	if p := r.state.Parent(); p != nil {
		parent.Above = append(parent.Above, p.Above...)
	}
	if c.Body {
		workflow, starts, parent.Body = r.workflow, r.def.Step(id).Starts, id
	} else {
		parent.Above = append(parent.Above, r.workflow)
	}
	child := NewAt(childID(r.id, id, d.Visit, index, d.Children.Try), workflow, starts, c.Inputs, parent)
	d.Children.Begin(index, child.ID)
	child.Root, child.Parent = r.root, r.id
	if c.Body { // the item is also stored under the name that an iterate step uses
		if err := child.alias(id, c.Inputs); err != nil {
			r.failStepFor(id, failure{kind: function.KindBadInput, message: err.Error(), final: true})
			return false
		}
	}
	child.ConcurrencyKey = r.e.ConcurrencyKey(child.ID, workflow, child.Begun)
	fresh := child.Fresh()
	r.unwritten.children = append(r.unwritten.children, fresh)
	r.unwritten.bytes += len(fresh.State)
	return true
}

// applyChild records the end of a child session.
func (r *children) applyChild(q *store.Request) string {
	var e childEnd
	if err := json.Unmarshal(q.Body, &e); err != nil {
		return "unreadable: " + err.Error()
	}
	d := r.state.Suspended(q.Step)
	if d == nil || d.Children == nil || d.Visit != q.Visit {
		return "nobody waits for it any more"
	}
	k := d.Children
	var failure *state.ChildFailure
	if e.Status != store.StatusComplete {
		failure = &state.ChildFailure{Session: e.Session, Status: e.Status, Step: e.Step, Kind: e.Kind, Message: e.Message}
	}
	if !k.End(e.Index, e.Session, failure) {
		return "another session has taken its place"
	}
	r.unwritten.touch()
	if r.state.Status(q.Step) == store.StatusError && k.Ended() && len(k.Failed) == 0 {
		d.Ready = true
		r.state.SetStatus(q.Step, store.StatusActive, "")
		r.state.ClearFailure(q.Step)
	}
	return "noted"
}

// A childEnd is the JSON body of a RequestChild.
type childEnd struct {
	Index   int    `json:"index"`
	Session string `json:"session"`
	Status  string `json:"status"`
	Step    string `json:"step,omitempty"`
	Kind    string `json:"kind,omitempty"`
	Message string `json:"message,omitempty"`
}

// tellParent returns the request that notifies the parent of this session's end, nil when there
// is no parent or nothing new to report.
func (r *children) tellParent(status string) *store.Request {
	p := r.state.Parent()
	if p == nil {
		return nil
	}
	if p.Told > 0 && p.ToldAs == status && p.ToldAt == r.counters.Seq() {
		return nil // this end was already reported
	}
	p.Told, p.ToldAs, p.ToldAt = p.Told+1, status, r.counters.Seq()
	e := childEnd{Index: p.Index, Session: r.id, Status: status}
	if f := r.state.Failure(); f != nil && status != store.StatusComplete {
		e.Kind, e.Message = f.Kind, f.Message
		if f.Step != "" {
			e.Step, e.Message = f.Step, fmt.Sprintf("step %q: %s", f.Step, f.Message)
		}
	}
	if m := r.state.Cancelled(); m != nil {
		e.Kind, e.Message = function.KindCancelled, cmp.Or(m.Reason, "cancelled")
	}
	body, _ := jsontext.Marshal(e)
	return &store.Request{Session: p.Session, Key: store.EscapeKey(fmt.Sprintf("child:%s:%d", r.id, p.Told)), Kind: store.RequestChild,
		Step: p.Step, Visit: p.Visit, Body: body}
}

// childResults reads the results of a step's child sessions, in order.
func (r *children) childResults(ctx context.Context, id string, d *state.Suspended) ([]function.BodyResult, error) {
	k := d.Children
	list, err := r.keptText(k.Sessions)
	if err != nil {
		return nil, err
	}
	specs := gjson.ParseBytes(list).Array()
	out := make([]function.BodyResult, k.Count)
	var ids []string
	at, tries, newest := map[string]int{}, map[string]int{}, make([]int, k.Count)
	for i := range out {
		if f, failed := k.Failed[fmt.Sprint(i)]; failed {
			out[i] = function.BodyResult{Session: f.Session, Status: f.Status, Error: &function.SessionError{Step: f.Step, Kind: cmp.Or(f.Kind, function.KindFailed), Message: f.Message}}
			continue
		}
		for try := range k.Try + 1 {
			child := childID(r.id, id, d.Visit, i, try)
			ids = append(ids, child)
			at[child], tries[child] = i, try
		}
	}
	size := 0
	for len(ids) > 0 {
		n := min(len(ids), maxPage)
		page := ids[:n]
		ids = ids[n:]
		found, err := retry.Do(ctx, func() ([]store.SessionRecord, error) { return r.e.Store.SessionsByID(ctx, page) })
		if err != nil {
			return nil, err
		}
		for j := range found {
			rec := &found[j]
			i := at[rec.ID]
			if tries[rec.ID] < newest[i] {
				continue
			}
			newest[i] = tries[rec.ID]
			one, err := r.childResult(ctx, rec, specs[i].Get("Body").Bool(), id, k.Outputs)
			if err != nil {
				return nil, err
			}
			if size += len(one.Output) - len(out[i].Output); size > r.e.MaxOutput {
				return nil, &function.CallError{Kind: function.KindTooLarge, Message: fmt.Sprintf("the results of the child sessions have more than %d bytes together", r.e.MaxOutput)}
			}
			out[i] = one
		}
	}
	for i := range out {
		if out[i].Status == "" {
			out[i] = function.BodyResult{Status: store.StatusError, Error: &function.SessionError{Kind: function.KindFailed, Message: "the child session was deleted"}}
		}
	}
	return out, nil
}

func (r *children) childResult(ctx context.Context, rec *store.SessionRecord, body bool, step string, wanted []string) (function.BodyResult, error) {
	one := function.BodyResult{Session: rec.ID, Status: rec.Status}
	st, err := state.Parse(rec.ID, rec.State)
	if err != nil {
		return one, err
	}
	def, holder := r.def, step
	if !body {
		if def, err = r.e.Definitions.Recent(ctx, cmp.Or(rec.Workflow, graph.DefaultWorkflow), definitionAge); err != nil {
			return one, err
		}
		holder = ""
	}
	outputs := stateOutputs{blobs: r.e.Store, ctx: ctx, state: st}
	if len(wanted) > 0 {
		list := make([]json.RawMessage, len(wanted))
		for i, id := range wanted {
			if list[i], _, err = outputs.Output(id, -1); err != nil {
				return one, err
			}
			if list[i] == nil {
				list[i] = json.RawMessage("null")
			}
		}
		one.Output, err = jsontext.Marshal(list)
		return one, err
	}
	one.Output = resultOfSession(st, def, holder, outputs)
	return one, nil
}

// renewChildren sets the list of child sessions, anew after a retry. A child stays if it still runs,
// or if it has not failed and its specification is unchanged; the others start as new sessions.
func (r *children) renewChildren(k *state.Children, list json.RawMessage, q *function.RunSessions) error {
	var before json.RawMessage
	if k.Sessions != nil {
		var err error
		if before, err = r.keptText(k.Sessions); err != nil {
			return err
		}
	}
	was, wanted := gjson.ParseBytes(before).Array(), gjson.ParseBytes(list).Array()
	k.Next, k.Count, k.Again = min(k.Next, len(wanted)), len(wanted), nil
	for i := range k.Next {
		index := fmt.Sprint(i)
		_, failed := k.Failed[index]
		if k.Live[index] == "" && (failed || i >= len(was) || was[i].Raw != wanted[i].Raw) {
			k.Again = append(k.Again, i)
		}
	}
	if before != nil && (len(k.Again) > 0 || k.Next < k.Count) {
		k.Try++ // sessions with the current try number may exist already
	}
	r.dropText(k.Sessions)
	k.Sessions, k.Failed, k.Room, k.Outputs = r.keepText(list), nil, q.Concurrency, q.Outputs
	if k.Room <= 0 {
		k.Room = defaultConcurrency
	}
	return nil
}

// stop cancels the child sessions of a step. Those that the next checkpoint would have created
// are not created.
func (r *children) stop(id, reason string) {
	d := r.state.Suspended(id)
	unborn := map[string]bool{}
	kept := r.unwritten.children[:0]
	for _, c := range r.unwritten.children {
		if strings.HasPrefix(c.ID, fmt.Sprintf("%s/%s/%d/", r.id, id, d.Visit)) {
			unborn[c.ID] = true
			continue
		}
		kept = append(kept, c)
	}
	r.unwritten.children = kept
	var to []string
	for _, index := range slices.Sorted(maps.Keys(d.Children.Live)) {
		if child := d.Children.Live[index]; !unborn[child] {
			to = append(to, child)
		}
	}
	d.Children.Live = nil
	if len(to) > 0 {
		r.notify(state.Notice{Kind: store.RequestCancel, Reason: reason, N: r.counters.Seen(), To: to})
	}
}
