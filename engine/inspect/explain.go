package inspect

import (
	"cmp"
	"context"
	"fmt"
	"sort"
	"strings"
	"time"

	"github.com/stepgraph/stepgraph/conditions"
	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/engine/graph"
	"github.com/stepgraph/stepgraph/engine/internal/evaluation"
	"github.com/stepgraph/stepgraph/engine/state"
	"github.com/stepgraph/stepgraph/engine/store"
	"github.com/stepgraph/stepgraph/references"
)

// An Explanation says why a session stopped where it is: each step that waits and for
// what, each finished step whose paths lead nowhere, each limit.
type Explanation struct {
	Session string         `json:"session"`
	Status  string         `json:"status"`
	Because []Reason       `json:"because"`
	Ends    []ExplainedEnd `json:"ends,omitempty"` // finished steps none of whose paths is open
}

// A Reason is one cause for which the session waits, or one failure, with the command that
// resolves it.
type Reason struct {
	Step    string   `json:"step,omitempty"`
	Kind    string   `json:"kind"` // question, pending, join, error, retry, paused, cancelled, running, held, due, overdue, turn
	Message string   `json:"message"`
	Missing []string `json:"missing,omitempty"`
	Mend    string   `json:"mend,omitempty"`
}

// An ExplainedEnd is a finished step of which no path was taken, with each of its paths as
// evaluated now.
type ExplainedEnd struct {
	Step  string          `json:"step"`
	Paths []ExplainedPath `json:"paths"`
}

// An ExplainedPath is the evaluation of one path, clause by clause.
type ExplainedPath struct {
	Path    string              `json:"path"`
	Target  string              `json:"target"`
	Open    bool                `json:"open"`
	Error   string              `json:"error,omitempty"`
	Clauses []conditions.Clause `json:"clauses,omitempty"`
}

// Explain reports why a session does not continue, from its state and the current workflow. It
// changes nothing.
func (i *Inspector) Explain(ctx context.Context, session string) (*Explanation, error) {
	rec, err := i.o.Store.Session(ctx, session)
	if err != nil {
		return nil, err
	}
	x := &Explanation{Session: session, Because: []Reason{}}
	s := &stopped{rec: rec, now: time.Now().UnixMilli(), workflow: workflowOf(rec)}
	if err := s.read(); err != nil {
		x.Status = store.StatusError
		x.because("", function.KindState, fmt.Sprintf("stepgraph session edit %s --state FILE", session), "%v", err)
		return x, nil
	}
	if s.def, err = i.o.Definitions.Recent(ctx, s.workflow, definitionAge); err != nil {
		return nil, err
	}
	s.scope = references.Scope{Session: session, Outputs: i.o.Outputs(ctx, s.state, s.def)}
	x.Status = s.state.StatusOf(rec)
	if err := i.turn(ctx, x, s); err != nil {
		return nil, err
	}
	if err := i.overdue(ctx, x, s); err != nil {
		return nil, err
	}
	x.session(s)
	for _, id := range s.state.StepIDs() {
		x.step(s, id)
	}
	for _, id := range s.state.WaitingJoins() {
		x.join(s, id)
	}
	x.closed(s)
	x.ends(s)
	return x, nil
}

// turn explains a session that waits for the limits of its workflow.
func (i *Inspector) turn(ctx context.Context, x *Explanation, s *stopped) error {
	if !s.state.InQueue(s.rec) {
		return nil
	}
	turn, err := i.o.Store.Turn(ctx, x.Session)
	if err != nil || turn == nil {
		return err
	}
	limits, _ := s.def.Workflow.LimitsInForce()
	x.because("", "turn", "stepgraph show "+s.workflow, "waits for its turn since %s: %s", turn.Since.Format(time.RFC3339), turnText(limits, turn.Running, turn.Ahead, turn.Key, turn.NextAt))
	return nil
}

// overdue explains a session that is due and not taken up.
func (i *Inspector) overdue(ctx context.Context, x *Explanation, s *stopped) error {
	rec := s.rec
	if rec.DueAt.IsZero() || rec.Held(time.Now()) {
		return nil
	}
	now, err := i.o.Store.Now(ctx)
	if err != nil {
		return err
	}
	if late := now.Sub(rec.DueAt); late > overdueAfter {
		engines, err := i.o.Store.Engines(ctx, i.o.HeardWithin)
		if err != nil {
			return err
		}
		h := i.blocker(ctx, rec, engines)
		x.because("", "overdue", h.remedy, "due for %s: %s", late.Round(time.Second), h.text)
	}
	return nil
}

// A stopped session is one that is to be explained.
type stopped struct {
	rec      *store.SessionRecord
	workflow string
	state    *state.State
	counters *state.Counters
	def      *graph.Definition
	scope    references.Scope
	now      int64
}

// read decodes the session as a claim would.
func (s *stopped) read() (err error) {
	if s.counters, err = state.ParseCounters(s.rec.ID, s.rec.Counters); err != nil {
		return err
	}
	if len(s.rec.Counters) == 0 && s.rec.Version > 0 { // lost: what is in the inbox counts as seen
		s.counters.See(s.rec.Inbox)
	}
	if s.state, err = state.Parse(s.rec.ID, s.rec.State); err != nil {
		return err
	}
	s.state.CountVisitsIn(s.counters)
	s.state.Adopt(s.rec, s.counters, s.now)
	return nil
}

func (x *Explanation) because(step, kind, mend, format string, args ...any) {
	x.Because = append(x.Because, Reason{Step: step, Kind: kind, Message: fmt.Sprintf(format, args...), Mend: mend})
}

// session explains what concerns the whole session.
func (x *Explanation) session(r *stopped) {
	s, rec := r.state, r.rec
	if m := s.Paused(); m != nil {
		x.because("", store.StatusPaused, "stepgraph session resume "+x.Session, "paused at %s%s", state.Time(m.At).Format(time.RFC3339), because(m.Reason))
		if len(s.Held()) > 0 {
			x.because("", "held", "stepgraph session resume "+x.Session, "%d answers wait for the end of the pause", len(s.Held()))
		}
	}
	if m := s.Cancelled(); m != nil {
		x.because("", store.StatusCancelled, "", "cancelled at %s%s", state.Time(m.At).Format(time.RFC3339), because(m.Reason))
	}
	switch {
	case rec.Lease != "" && rec.LeaseUntil.After(time.Now()):
		x.because("", "running", "", "%s works on it (lease until %s)", rec.LeaseOwner, rec.LeaseUntil.Format(time.RFC3339))
	case rec.Inbox > r.counters.Seen():
		x.because("", "due", "stepgraph doctor", "%d requests wait in its inbox; no engine has taken it up", rec.Inbox-r.counters.Seen())
	case !rec.DueAt.IsZero():
		x.because("", "due", "stepgraph doctor", "due since %s; no engine has taken it up", rec.DueAt.Format(time.RFC3339))
	}
	if f := s.Failure(); f != nil && f.Step == "" {
		x.because("", f.Kind, "stepgraph session retry "+x.Session, "%s", f.Message)
	}
	if r.def.Absent {
		x.because("", "workflow_gone", "stepgraph load FILE", "workflow %q does not exist", r.workflow)
	}
}

func because(reason string) string {
	if reason == "" {
		return ""
	}
	return ": " + reason
}

// step explains one step that has not ended well.
func (x *Explanation) step(r *stopped, id string) {
	entry := r.state.Step(id)
	gone := r.def.Step(id) == nil
	switch entry.Status {
	case store.StatusAwaitingInput:
		q := r.state.Ask(id)
		mend := fmt.Sprintf("stepgraph session answer %s ANSWER --step %s", x.Session, id)
		text := fmt.Sprintf("asks %q since %s", graph.CutText(q.Prompt, 200), state.Time(q.Since).Format(time.RFC3339))
		if q.Kind == function.AskApproval {
			mend = strings.Replace(mend, "ANSWER", "yes", 1)
			text += fmt.Sprintf("; approves %s with input %s", cmp.Or(q.Function, "no function"), graph.CutText(string(q.Input), 500))
		}
		if gone {
			text += "; the step is no longer in the workflow"
			mend = fmt.Sprintf("stepgraph session move %s --from %s --to STEP", x.Session, id)
		}
		x.because(id, function.AskQuestion, mend, "%s", text)
	case store.StatusPending:
		l := r.state.MakeLive(id)
		x.because(id, store.StatusPending, "stepgraph session edit "+x.Session+" --state FILE, or edit the step", "%s", l.PendingText())
		x.Because[len(x.Because)-1].Missing = l.Missing
	case store.StatusError:
		mend := fmt.Sprintf("stepgraph session retry %s --step %s", x.Session, id)
		switch r.state.StepError(id).Kind {
		case function.KindNoFunction, function.KindBadInput, function.KindBadReference, function.KindDisabled:
			mend = "correct the step, then: " + mend
		}
		x.because(id, store.StatusError, mend, "%s", entry.Error)
	case store.StatusActive:
		l := r.state.Live(id)
		if l != nil && l.Lacks != "" {
			x.because(id, function.KindNoFunction, "stepgraph doctor", "%s", l.LackText())
		}
		if l != nil && l.RetryAt > r.now {
			x.because(id, "retry", "", "attempt %d at %s", r.counters.Attempts(id)+1, state.Time(l.RetryAt).Format(time.RFC3339))
		}
	}
}

// join explains a join: all that waits.
func (x *Explanation) join(r *stopped, id string) {
	step := r.def.Step(id)
	if step == nil {
		return
	}
	var by []string
	for _, l := range r.state.LiveIn(r.def) {
		if l != step && r.def.Leads(l, step) {
			by = append(by, fmt.Sprintf("%s (%s)", l.ID, cmp.Or(r.state.Status(l.ID), "waiting join")))
		}
	}
	sort.Strings(by)
	x.because(id, "join", "", "join: %s: can still be reached from %s", step.Join, strings.Join(by, ", "))
}

// closed explains the steps that did not run because a path they require was not taken.
func (x *Explanation) closed(r *stopped) {
	for _, id := range r.state.Arrived() {
		step := r.def.Step(id)
		waits := r.state.IsWaitingJoin(id)
		if status := r.state.Status(id); step == nil || step.Join != graph.JoinRequired || waits || status != "" && status != store.StatusSkipped {
			continue
		}
		var missing []string
		for _, q := range r.state.Unmet(step) {
			missing = append(missing, q.String())
		}
		if len(missing) > 0 {
			x.because(id, "join", "", "join: required: did not run; not taken: %s", strings.Join(missing, "; "))
		}
	}
}

// ends evaluates the paths of finished steps that led nowhere: where a new path or another
// condition would take the session on.
func (x *Explanation) ends(r *stopped) {
	for _, id := range r.state.StepIDs() {
		step := r.def.Step(id)
		if step == nil || r.state.Status(id) != store.StatusComplete {
			continue
		}
		end := ExplainedEnd{Step: id, Paths: []ExplainedPath{}}
		led := false
		for _, p := range step.Next {
			j := evaluation.Of(p, r.scope)
			end.Paths = append(end.Paths, ExplainedPath(j))
			status := r.state.Status(p.Target)
			waits := r.state.IsWaitingJoin(p.Target)
			led = led || waits || j.Open && status != "" && status != store.StatusSkipped
		}
		if !led && (len(step.Next) > 0 || x.Status == store.StatusComplete) {
			x.Ends = append(x.Ends, end)
		}
	}
}

// String is the explanation as text, a line a reason.
func (x *Explanation) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "session %s is %s\n", x.Session, x.Status)
	for _, r := range x.Because {
		b.WriteString("- ")
		if r.Step != "" {
			fmt.Fprintf(&b, "step %s: ", r.Step)
		}
		fmt.Fprintf(&b, "%s: %s", r.Kind, r.Message)
		if r.Mend != "" {
			fmt.Fprintf(&b, "\n  mend: %s", r.Mend)
		}
		b.WriteByte('\n')
	}
	for _, end := range x.Ends {
		fmt.Fprintf(&b, "- step %s finished and leads nowhere now:", end.Step)
		if len(end.Paths) == 0 {
			b.WriteString(" it has no paths")
		}
		b.WriteByte('\n')
		for _, p := range end.Paths {
			p.write(&b)
		}
	}
	return b.String()
}

func (p *ExplainedPath) write(b *strings.Builder) {
	word := "closed"
	if p.Open {
		word = "open"
	}
	fmt.Fprintf(b, "  - path %s: %s", p.Path, word)
	if p.Error != "" {
		fmt.Fprintf(b, ": %s", p.Error)
	}
	b.WriteByte('\n')
	for _, c := range p.Clauses {
		fmt.Fprintf(b, "      %s\n", strings.ReplaceAll(c.String(), "\n", "\n      "))
	}
}
