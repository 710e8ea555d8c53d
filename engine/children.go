package engine

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/stepgraph/stepgraph/engine/graph"
	"github.com/stepgraph/stepgraph/engine/internal/retry"
	"github.com/stepgraph/stepgraph/engine/state"
	"github.com/stepgraph/stepgraph/internal/jsontext"
	"github.com/tidwall/gjson"
)

// maxDepth is how deep sessions may have child sessions.
const maxDepth = 16

// children are the sessions that a step has begun: subflows and the elements of a map.
type children struct{ *visits }

// beginChildren creates the first child sessions of a step.
func (r *children) beginChildren(res *attemptResult, q *RunSessions) *Execution {
	a := res.attempt
	for i, c := range q.Sessions {
		if problem := r.checkChild(a.compiled, c); problem != "" {
			return r.failStep(a.step, failure{kind: KindBadInput, final: true, info: res.info(), message: fmt.Sprintf("session %d: %s", i, problem)})
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
		return r.failStep(a.step, failure{kind: KindFailed, info: res.info(), message: err.Error()})
	}
	r.settle(a.step, d)
	return nil
}

func (r *children) checkChild(step *graph.CompiledStep, c ChildSession) string {
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

// settle starts child sessions as far as there is room; the step is ready when
// all have ended.
func (r *children) settle(id string, d *state.Suspended) (moved bool) {
	k := d.Children
	if r.state.Resting() {
		return false
	}
	if k.More() {
		list, err := r.keptText(k.Sessions)
		if err != nil {
			r.failStepFor(id, failure{kind: KindFailed, message: err.Error(), final: true})
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

func (r *children) resume(ctx context.Context, id string, d *state.Suspended, call *Call) error {
	if d.Renew {
		return nil // it is called as the first time: it says which sessions there are to be
	}
	results, err := r.childResults(ctx, id, d)
	call.Body = &BodyOutcome{Results: results, Rounds: d.Children.Count}
	return err
}

// retry begins anew the sessions that failed, or has the function say which there are to be.
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

// childID is the id of a child session, which no caller can give one of theirs.
func childID(parent, step string, visit, index, try int) string {
	id := fmt.Sprintf("%s/%s/%d/%d", parent, step, visit, index)
	if try > 0 {
		id = fmt.Sprintf("%s~%d", id, try)
	}
	return id
}

// createChild puts a child session into the next checkpoint.
func (r *children) createChild(id string, d *state.Suspended, index int, spec string) bool {
	var c ChildSession
	if err := json.Unmarshal([]byte(spec), &c); err != nil {
		r.failStepFor(id, failure{kind: KindBadInput, message: err.Error(), final: true})
		return false
	}
	if problem := r.e.descent.mayStartChild(r.ctx, r.root); problem != "" {
		r.failStepFor(id, failure{kind: KindLimit, message: problem, final: true})
		return false
	}
	entry := c.Entry
	if entry == "" {
		entry = DefaultEntry
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
	child := newSessionAt(childID(r.id, id, d.Visit, index, d.Children.Try), workflow, starts, c.Inputs, parent)
	d.Children.Begin(index, child.ID)
	child.Root, child.Parent = r.root, r.id
	if c.Body { // the item also stands where iterate has it
		if err := child.alias(id, c.Inputs); err != nil {
			r.failStepFor(id, failure{kind: KindBadInput, message: err.Error(), final: true})
			return false
		}
	}
	fresh := child.fresh()
	r.unwritten.children = append(r.unwritten.children, fresh)
	r.unwritten.bytes += len(fresh.State)
	return true
}

// applyChild takes note of a child session's end.
func (r *children) applyChild(q *Request) string {
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
	if e.Status != StatusComplete {
		failure = &state.ChildFailure{Session: e.Session, Status: e.Status, Step: e.Step, Kind: e.Kind, Message: e.Message}
	}
	if !k.End(e.Index, e.Session, failure) {
		return "another session has taken its place"
	}
	r.unwritten.touch()
	if r.state.Status(q.Step) == StatusError && k.Ended() && len(k.Failed) == 0 {
		d.Ready = true
		r.state.SetStatus(q.Step, StatusActive, "")
		r.state.ClearFailure(q.Step)
	}
	return "noted"
}

// A childEnd is the body of a RequestChild.
type childEnd struct {
	Index   int    `json:"index"`
	Session string `json:"session"`
	Status  string `json:"status"`
	Step    string `json:"step,omitempty"`
	Kind    string `json:"kind,omitempty"`
	Message string `json:"message,omitempty"`
}

// tellParent is the request with which a child's end reaches its parent, nil when there
// is nobody to tell.
func (r *children) tellParent(status string) *Request {
	p := r.state.Parent()
	if p == nil {
		return nil
	}
	if p.Told > 0 && p.ToldAs == status && p.ToldAt == r.counters.Seq() {
		return nil // nothing has happened since
	}
	p.Told, p.ToldAs, p.ToldAt = p.Told+1, status, r.counters.Seq()
	e := childEnd{Index: p.Index, Session: r.id, Status: status}
	if f := r.state.Failure(); f != nil && status != StatusComplete {
		e.Kind, e.Message = f.Kind, f.Message
		if f.Step != "" {
			e.Step, e.Message = f.Step, fmt.Sprintf("step %q: %s", f.Step, f.Message)
		}
	}
	if m := r.state.Cancelled(); m != nil {
		e.Kind, e.Message = KindCancelled, reasonOr(m.Reason, "cancelled")
	}
	body, _ := jsontext.Marshal(e)
	return &Request{Session: p.Session, Key: escapeKey(fmt.Sprintf("child:%s:%d", r.id, p.Told)), Kind: RequestChild,
		Step: p.Step, Visit: p.Visit, Body: body}
}

// childResults reads what the child sessions of a step came to, in order.
func (r *children) childResults(ctx context.Context, id string, d *state.Suspended) ([]BodyResult, error) {
	k := d.Children
	list, err := r.keptText(k.Sessions)
	if err != nil {
		return nil, err
	}
	specs := gjson.ParseBytes(list).Array()
	out := make([]BodyResult, k.Count)
	var ids []string
	at, tries, newest := map[string]int{}, map[string]int{}, make([]int, k.Count)
	for i := range out {
		if f, failed := k.Failed[fmt.Sprint(i)]; failed {
			out[i] = BodyResult{Session: f.Session, Status: f.Status, Error: &SessionError{Step: f.Step, Kind: cmp.Or(f.Kind, KindFailed), Message: f.Message}}
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
		found, err := retry.Do(ctx, func() ([]SessionRecord, error) { return r.e.store.SessionsByID(ctx, page) })
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
			if size += len(one.Output) - len(out[i].Output); size > r.e.o.MaxOutput {
				return nil, &CallError{Kind: KindTooLarge, Message: fmt.Sprintf("the results of the child sessions have more than %d bytes together", r.e.o.MaxOutput)}
			}
			out[i] = one
		}
	}
	for i := range out {
		if out[i].Status == "" {
			out[i] = BodyResult{Status: StatusError, Error: &SessionError{Kind: KindFailed, Message: "the child session was deleted"}}
		}
	}
	return out, nil
}

func (r *children) childResult(ctx context.Context, rec *SessionRecord, body bool, step string, wanted []string) (BodyResult, error) {
	one := BodyResult{Session: rec.ID, Status: rec.Status}
	st, err := ParseState(rec.ID, rec.State)
	if err != nil {
		return one, err
	}
	def, holder := r.def, step
	if !body {
		if def, err = r.e.definitions.Recent(ctx, workflowOf(rec.Workflow), viewDefinitionAge); err != nil {
			return one, err
		}
		holder = ""
	}
	outputs := stateOutputs{blobs: r.e.store, ctx: ctx, state: st}
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
