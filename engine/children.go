package engine

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/stepgraph/stepgraph/engine/graph"
	"github.com/stepgraph/stepgraph/internal/jsontext"
	"github.com/tidwall/gjson"
)

// A childrenRun is what the engine keeps of a step that waits for child sessions.
type childrenRun struct {
	Sessions json.RawMessage      `json:"sessions"` // a list of ChildSession, see keepText
	Count    int                  `json:"count"`
	Next     int                  `json:"next"`           // index of the next to start
	Live     map[string]string    `json:"live,omitempty"` // ids of those that have not ended, by index
	Failed   map[string]childFail `json:"failed,omitempty"`
	Try      int                  `json:"try,omitempty"`   // part of the ids of those started anew
	Again    []int                `json:"again,omitempty"` // indexes to be started anew
	Room     int                  `json:"room"`
	Outputs  []string             `json:"outputs,omitempty"`
}

// A childFail is a child session that ended other than complete, by its index.
type childFail struct {
	Session string `json:"session"`
	Status  string `json:"status"`
	Step    string `json:"step,omitempty"` // where it failed; Message begins with it
	Kind    string `json:"kind,omitempty"`
	Message string `json:"message,omitempty"`
}

// A parentRef tells, in a child's state, who waits for it.
type parentRef struct {
	Session string   `json:"session"`
	Step    string   `json:"step"`
	Visit   int      `json:"visit"`
	Index   int      `json:"index"`
	Body    string   `json:"body,omitempty"` // the map whose body this session runs
	Above   []string `json:"above"`          // workflows of its ancestors, the nearest last
	Told    int      `json:"told,omitempty"` // ends that the parent was told of
	ToldAs  string   `json:"told_as,omitempty"`
	ToldAt  int64    `json:"told_at,omitempty"` // the newest EXECUTION then
}

// maxDepth is how deep sessions may have child sessions.
const maxDepth = 16

// beginChildren creates the first child sessions of a step.
func (r *runner) beginChildren(res *attemptResult, q *RunSessions) *Execution {
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
	d := r.entrust(res)
	if d.Kids == nil {
		d.Kids = &childrenRun{}
	}
	if err := r.renewChildren(d.Kids, list, q); err != nil {
		return r.failStep(a.step, failure{kind: KindFailed, info: res.info(), message: err.Error()})
	}
	r.settleChildren(a.step, d)
	return nil
}

func (r *runner) checkChild(step *graph.CompiledStep, c ChildSession) string {
	var above []string
	if p := r.state.engine.Parent; p != nil {
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

// settleChildren starts child sessions as far as there is room; the step is ready when
// all have ended.
func (r *runner) settleChildren(id string, d *drivenStep) (moved bool) {
	k := d.Kids
	if r.resting() {
		return false
	}
	if k.more() {
		list, err := r.keptText(k.Sessions)
		if err != nil {
			r.failStepFor(id, failure{kind: KindFailed, message: err.Error(), final: true})
			return true
		}
		all := gjson.ParseBytes(list).Array()
		for k.more() {
			if i := k.take(); !r.createChild(id, d, i, all[i].Raw) {
				return true
			}
			moved = true
		}
	}
	if k.ended() {
		d.Ready = true
		moved = true
	}
	if moved {
		r.unwritten.touch()
	}
	return moved
}

// more tells whether a child session may start now.
func (k *childrenRun) more() bool {
	return (k.Next < k.Count || len(k.Again) > 0) && len(k.Live) < k.Room
}

// ended tells whether all child sessions have ended.
func (k *childrenRun) ended() bool {
	return k.Next == k.Count && len(k.Again) == 0 && len(k.Live) == 0
}

// take is the index of the next child session.
func (k *childrenRun) take() int {
	if len(k.Again) > 0 {
		i := k.Again[0]
		k.Again = k.Again[1:]
		return i
	}
	k.Next++
	return k.Next - 1
}

// retryFailed starts those that failed anew, as sessions of their own.
func (k *childrenRun) retryFailed() {
	k.Try++
	for i := range k.Count {
		if _, failed := k.Failed[fmt.Sprint(i)]; failed {
			k.Again = append(k.Again, i)
		}
	}
	k.Failed = nil
}

// childID is the id of a child session, which no caller can give one of theirs.
func childID(parent, step string, visit, index, try int) string {
	id := fmt.Sprintf("%s/%s/%d/%d", parent, step, visit, index)
	if try > 0 {
		id = fmt.Sprintf("%s~%d", id, try)
	}
	return id
}

// createChild puts a child session into the next checkpoint.
func (r *runner) createChild(id string, d *drivenStep, index int, spec string) bool {
	var c ChildSession
	if err := json.Unmarshal([]byte(spec), &c); err != nil {
		r.failStepFor(id, failure{kind: KindBadInput, message: err.Error(), final: true})
		return false
	}
	if problem := r.e.mayStartChild(r.root); problem != "" {
		r.failStepFor(id, failure{kind: KindLimit, message: problem, final: true})
		return false
	}
	entry := c.Entry
	if entry == "" {
		entry = DefaultEntry
	}
	workflow, starts := c.Workflow, []string{entry}
	parent := &parentRef{Session: r.id, Step: id, Visit: d.Visit, Index: index}
	if p := r.state.engine.Parent; p != nil {
		parent.Above = append(parent.Above, p.Above...)
	}
	if c.Body {
		workflow, starts, parent.Body = r.workflow, r.def.Step(id).Starts, id
	} else {
		parent.Above = append(parent.Above, r.workflow)
	}
	child := newSessionAt(childID(r.id, id, d.Visit, index, d.Kids.Try), workflow, starts, c.Inputs, parent)
	if d.Kids.Live == nil {
		d.Kids.Live = map[string]string{}
	}
	d.Kids.Live[fmt.Sprint(index)] = child.ID
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
func (r *runner) applyChild(q *Request) string {
	var e childEnd
	if err := json.Unmarshal(q.Body, &e); err != nil {
		return "unreadable: " + err.Error()
	}
	d := r.state.engine.Driven[q.Step]
	if d == nil || d.Kids == nil || d.Visit != q.Visit {
		return "nobody waits for it any more"
	}
	k := d.Kids
	index := fmt.Sprint(e.Index)
	if before, failed := k.Failed[index]; k.Live[index] != e.Session && (!failed || before.Session != e.Session) {
		return "another session has taken its place"
	}
	delete(k.Live, index)
	delete(k.Failed, index) // it may have been retried by itself
	if e.Status != StatusComplete {
		if k.Failed == nil {
			k.Failed = map[string]childFail{}
		}
		k.Failed[index] = childFail{Session: e.Session, Status: e.Status, Step: e.Step, Kind: e.Kind, Message: e.Message}
	}
	r.unwritten.touch()
	if r.state.Status(q.Step) == StatusError && k.ended() && len(k.Failed) == 0 {
		d.Ready = true
		r.state.setStatus(q.Step, StatusActive, "")
		r.clearFailure(q.Step)
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
func (r *runner) tellParent(status string) *Request {
	p := r.state.engine.Parent
	if p == nil {
		return nil
	}
	if p.Told > 0 && p.ToldAs == status && p.ToldAt == r.counters.Seq {
		return nil // nothing has happened since
	}
	p.Told, p.ToldAs, p.ToldAt = p.Told+1, status, r.counters.Seq
	e := childEnd{Index: p.Index, Session: r.id, Status: status}
	if f := r.state.engine.Failure; f != nil && status != StatusComplete {
		e.Kind, e.Message = f.Kind, f.Message
		if f.Step != "" {
			e.Step, e.Message = f.Step, fmt.Sprintf("step %q: %s", f.Step, f.Message)
		}
	}
	if m := r.state.engine.Cancelled; m != nil {
		e.Kind, e.Message = KindCancelled, reasonOr(m.Reason, "cancelled")
	}
	body, _ := jsontext.Marshal(e)
	return &Request{Session: p.Session, Key: escapeKey(fmt.Sprintf("child:%s:%d", r.id, p.Told)), Kind: RequestChild,
		Step: p.Step, Visit: p.Visit, Body: body}
}

func containsText(list []string, text string) bool {
	for _, t := range list {
		if t == text {
			return true
		}
	}
	return false
}

// childResults reads what the child sessions of a step came to, in order.
func (r *runner) childResults(ctx context.Context, id string, d *drivenStep) ([]BodyResult, error) {
	k := d.Kids
	list, err := r.keptText(k.Sessions)
	if err != nil {
		return nil, err
	}
	specs := gjson.ParseBytes(list).Array()
	out := make([]BodyResult, k.Count)
	var ids []string
	at, tries, newest := map[string]int{}, map[string]int{}, make([]int, k.Count)
	for i := range out {
		child := childID(r.id, id, d.Visit, i, 0)
		if f, failed := k.Failed[fmt.Sprint(i)]; failed {
			out[i] = BodyResult{Session: f.Session, Status: f.Status, Error: &SessionError{Step: f.Step, Kind: cmp.Or(f.Kind, KindFailed), Message: f.Message}}
			continue
		}
		for try := range k.Try + 1 {
			child = childID(r.id, id, d.Visit, i, try)
			ids = append(ids, child)
			at[child], tries[child] = i, try
		}
	}
	size := 0
	for len(ids) > 0 {
		n := min(len(ids), maxPage)
		page := ids[:n]
		ids = ids[n:]
		found, err := insist(ctx, func() ([]SessionRecord, error) { return r.e.store.SessionsByID(ctx, page) })
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

func (r *runner) childResult(ctx context.Context, rec *SessionRecord, body bool, step string, wanted []string) (BodyResult, error) {
	one := BodyResult{Session: rec.ID, Status: rec.Status}
	state, err := ParseState(rec.ID, rec.State)
	if err != nil {
		return one, err
	}
	def, holder := r.def, step
	if !body {
		if def, err = r.e.definitions.recent(ctx, workflowOf(rec.Workflow), viewDefinitionAge); err != nil {
			return one, err
		}
		holder = ""
	}
	outputs := stateOutputs{e: r.e, ctx: ctx, state: state}
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
	one.Output = state.result(def, holder, outputs)
	return one, nil
}
