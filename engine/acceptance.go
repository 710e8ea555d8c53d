package engine

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"

	"github.com/stepgraph/stepgraph/engine/graph"
	"github.com/stepgraph/stepgraph/engine/internal/session"
	"github.com/stepgraph/stepgraph/engine/state"
	"github.com/stepgraph/stepgraph/engine/store"
	"github.com/stepgraph/stepgraph/internal/jsontext"
)

// An acceptance decides, under the session's lock, whether an answer is accepted.
type acceptance struct {
	q        AnswerRequest
	strange  bool     // the named step has never run in this session
	replayed *Request // the earlier request, when this answer repeats it
	read     opened
	rest     *store.SessionRecord // the session as the answer's own checkpoint has left it, see answerAtRest
}

func (a *acceptance) decide(v store.InboxView) (*Request, error) {
	a.replayed, a.strange = nil, false
	hash := bodyHash(a.q.Response)
	if v.Same != nil {
		if v.Same.Kind == RequestAnswer && v.Same.BodyHash == hash && (a.q.Step == "" || a.q.Step == v.Same.Step) {
			a.replayed = v.Same
			return nil, nil
		}
		return nil, store.Detailf(ErrKeyReused, "idempotency key %q was used for another request to this session", v.Same.Key)
	}
	read, err := a.read.of(&v.Session)
	if err != nil {
		return nil, store.Detailf(ErrBadRequest, "%v", err)
	}
	st := read.State
	if state.Shared(read, "lacks asks", lacksAsks) {
		if st, err = ParseState(v.Session.ID, v.Session.State); err != nil { // a state that may be changed, for AdoptAsks
			return nil, store.Detailf(ErrBadRequest, "%v", err)
		}
		st.AdoptAsks(&v.Session, v.Now.UnixMilli())
	}
	asked := a.find(st)
	if asked == nil {
		return nil, a.notOpen(st, v, hash)
	}
	on := store.Target(v.Session.ID, asked.step, asked.q.Visit, asked.q.Ask)
	if before := byTarget(v.Unapplied, on); before != nil {
		return nil, a.before(before, hash)
	}
	if before, err := v.ByTarget(on); err != nil {
		return nil, err
	} else if before != nil {
		return nil, a.before(before, hash)
	}
	if err := a.stillOpen(asked, &v); err != nil {
		return nil, err
	}
	if _, err := session.CheckAnswer(asked.q, a.q.Response); err != nil {
		return nil, err
	}
	return &Request{Kind: RequestAnswer, Target: on, Step: asked.step, Visit: asked.q.Visit, Ask: asked.q.Ask,
		Body: jsontext.Compact(a.q.Response), BodyHash: hash, By: a.q.By}, nil
}

// stillOpen refuses an answer to a question that is open in the state and will be closed before the
// answer is applied: its deadline has passed by the store's clock, or an earlier request in the
// inbox closes it. Every other decision that closes a question has to read the answer first, see
// Checkpoint.Closing.
func (a *acceptance) stillOpen(asked *askedQuestion, v *store.InboxView) error {
	if due := asked.q.Due; due > 0 && v.Now.UnixMilli() >= due {
		return store.Detailf(ErrNoOpenQuestion, "the time to answer step %q was over at %s", asked.step, state.Time(due).Format(time.RFC3339Nano))
	}
	for i := range v.Unapplied {
		if q := &v.Unapplied[i]; closes(q, asked) {
			return store.Detailf(ErrNoOpenQuestion, "a request (%s) that came before closes the question of step %q; look at the session again once it is applied", q.Kind, asked.step)
		}
	}
	return nil
}

// closes reports whether a request, once applied, may close an open question other than by
// answering it.
func closes(q *Request, asked *askedQuestion) bool {
	switch q.Kind {
	case RequestCancel, RequestRollback:
		return true
	case RequestReask, RequestMove: // without a step, the request may close any question
		step := session.BodyOf(q).Step
		return step == "" || step == asked.step
	case RequestSignal:
		return asked.q.Kind == AskSignal && session.BodyOf(q).Name == asked.q.Prompt
	}
	return false
}

type askedQuestion struct {
	step string
	q    *state.Ask
}

// find returns the question that the answer is for, nil when it is not open.
func (a *acceptance) find(st *State) *askedQuestion {
	if st.Cancelled() != nil {
		return nil
	}
	step, q := st.LongestWaiting(func(step string, q *state.Ask) bool {
		switch {
		case a.q.Step != "" && step != a.q.Step:
		case a.q.Step == "" && q.Kind == AskSignal: // answered by a signal; a person answers it only by naming the step
		case a.q.Visit != 0 && q.Visit != a.q.Visit:
		case a.q.Ask != 0 && q.Ask != a.q.Ask:
		default:
			return true
		}
		return false
	})
	if q == nil {
		return nil
	}
	return &askedQuestion{step, q}
}

// lacksAsks reports whether a step waits for an answer to a question that has no entry yet.
func lacksAsks(st *State) bool {
	for _, id := range st.StepIDs() {
		if st.Status(id) == StatusAwaitingInput && st.Ask(id) == nil {
			return true
		}
	}
	return false
}

// notOpen returns the error when there is no open question. An answer equal to the accepted one
// for the same question is a success.
func (a *acceptance) notOpen(st *State, v store.InboxView, hash string) error {
	if a.q.Step == "" {
		return store.Detailf(ErrNoOpenQuestion, "session %s is %s", v.Session.ID, st.ShownStatus(v.Session.Version))
	}
	last, err := v.LastAnswer(a.q.Step)
	if err != nil {
		return err
	}
	if last != nil && (a.q.Visit == 0 || a.q.Visit == last.Visit) && (a.q.Ask == 0 || a.q.Ask == last.Ask) {
		return a.before(last, hash)
	}
	if a.q.Visit != 0 && a.q.Ask != 0 {
		before, err := v.ByTarget(store.Target(v.Session.ID, a.q.Step, a.q.Visit, a.q.Ask))
		if err != nil {
			return err
		}
		if before != nil {
			return a.before(before, hash)
		}
	}
	a.strange = st.Step(a.q.Step) == nil
	return store.Detailf(ErrNoOpenQuestion, "step %q does not wait for an answer (session %s is %s)", a.q.Step, v.Session.ID, st.ShownStatus(v.Session.Version))
}

// before handles an answer to a question that is already answered: the same answer is a success.
func (a *acceptance) before(req *Request, hash string) error {
	if req.BodyHash == hash {
		a.replayed = req
		return nil
	}
	return &DetailError{Err: ErrAlreadyAnswered, Accepted: acceptedOf(req, true),
		Detail: fmt.Sprintf("step %q, visit %d, with %s", req.Step, req.Visit, graph.CutText(string(req.Body), 200))}
}

func (a *acceptance) accepted(written *Request) *Accepted {
	if a.replayed != nil {
		return acceptedOf(a.replayed, true)
	}
	return acceptedOf(written, false)
}

func acceptedOf(q *Request, replayed bool) *Accepted {
	return &Accepted{Request: q.ID, Step: q.Step, Visit: q.Visit, Ask: q.Ask, Response: q.Body, At: q.At, Replayed: replayed}
}

func byTarget(list []Request, on string) *Request {
	for i := range list {
		if list[i].Target == on {
			return &list[i]
		}
	}
	return nil
}

func bodyHash(body json.RawMessage) string {
	sum := sha256.Sum256(jsontext.Compact(body))
	return hex.EncodeToString(sum[:16])
}
