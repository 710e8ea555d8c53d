package session

import (
	"encoding/json"
	"fmt"

	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/engine/state"
	"github.com/stepgraph/stepgraph/engine/store"
)

// Whatever a session is in the middle of when its STEP is removed ends as an error of kind
// step_gone, once the session would go on there: a question that is answered, a timer, a
// signal, a result of a call, the end of a child session or of a round. Following no paths
// instead, as of a step that leads nowhere, would end the session complete in the middle of
// its workflow, and waiting for the STEP to come back would never end.

// stepGone puts a step whose STEP was removed into error. What the visit came to is kept in
// the history; what the step acts through (its body, its tools) stays as it is, so that a
// retry goes on there once the STEP is back.
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

// putGone gives the step its status when its visit has been recorded.
func (r *visits) putGone(id string, l *state.LiveStep, f failure) {
	if l != nil {
		l.Kind, l.Wait = f.kind, nil
	}
	r.end(id, store.StatusError)
	r.state.SetStatus(id, store.StatusError, f.message)
	r.state.Fail(&function.SessionError{Step: id, Kind: f.kind, Message: f.message})
	if r.toolEnded(l, function.ToolResult{Error: problemOf(id, f)}) {
		r.settleError(id)
		return
	}
	r.failRound(id)
}

// settleGone ends a step that others act for when it is gone, or when it no longer holds a
// step that its round runs. It reports whether it did, or whether the step has to wait for
// child sessions that are under way.
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
