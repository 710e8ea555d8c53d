package session

import (
	"encoding/json"
	"fmt"

	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/engine/state"
	"github.com/stepgraph/stepgraph/engine/store"
)

// When a STEP is removed while a session is inside it, the visit ends with an error of kind
// step_gone as soon as the session would continue there: a question is answered, a timer fires, a
// signal or the result of a call arrives, a child session or a round ends. Treating the step as
// one without paths would end the session as complete in the middle of its workflow, and waiting
// for the STEP to return might never end.

// stepGone puts a step whose STEP was removed into error. The result of the visit is kept in the
// history; the state of its body or its tools stays as it is, so that a retry continues there
// once the STEP is back.
func (r *visits) stepGone(id string, v visitInfo, output json.RawMessage, while string) {
	r.goneFor(id, v, output, fmt.Sprintf("step %q was removed while %s; add it again and retry, or move the session to another step", id, while))
}

func (r *visits) goneFor(id string, v visitInfo, output json.RawMessage, message string) {
	l := r.ensureVisit(id)
	f := failure{kind: function.KindStepGone, message: message, final: true}
	v.status, v.attempt = store.StatusError, r.counters.CountFailed(id)
	if v.started.IsZero() {
		v.started = r.nowTime()
	}
	r.record(id, v, output, f.json())
	r.putGone(id, l, f)
}

// putGone sets the step's status after its visit has been recorded.
func (r *visits) putGone(id string, l *state.LiveStep, f failure) {
	if l != nil {
		l.Wait = nil
	}
	if !r.putError(id, l, f) {
		r.failRound(id)
	}
}

// settleGone ends a suspended step that was removed, or that no longer contains a step which its
// round runs. handled is true when it did, or when the step has to wait for child sessions that
// are under way.
func (r *visits) settleGone(id string, d *state.Suspended) (moved, handled bool) {
	v := visitInfo{started: state.Time(d.Started), reads: d.Reads}
	switch {
	case r.def.Step(id) == nil && d.Children != nil && len(d.Children.Live) > 0:
		return false, true
	case r.def.Step(id) == nil:
		what := "its tools ran"
		switch {
		case d.Children != nil:
			what = "its child sessions ran"
		case d.Body != nil:
			what = fmt.Sprintf("round %d of its body ran", d.Body.Round+1)
		}
		r.stepGone(id, v, nil, what)
		return true, true
	case d.Body == nil:
		return false, false
	}
	for _, inner := range d.Body.Steps {
		if s := r.def.Step(inner); s != nil && s.Holder != id && r.state.HasBegun(inner) {
			r.goneFor(id, v, nil, fmt.Sprintf("the CONTAINS path from %q to %q was removed while round %d ran; add it again and retry, or move the session to another step",
				id, inner, d.Body.Round+1))
			return true, true
		}
	}
	return false, false
}
