package session

import (
	"encoding/json"
	"fmt"
	"sort"

	"github.com/stepgraph/stepgraph/engine/state"
	"github.com/stepgraph/stepgraph/engine/store"
)

// requests applies what arrives in a session's inbox: answers, signals, operators' actions and
// the ends of child sessions.
type requests struct {
	*visits
	joins     *joins
	children  *children
	waits     *waits
	questions *questions
}

// answered applies an answer and records that the answer closed its question.
func (r *requests) answered(q *store.Request) string {
	if ref := (state.AskRef{Visit: q.Visit, Ask: q.Ask}); r.state.IsOpen(q.Step, ref) {
		r.unwritten.answer(q.Step, ref)
	}
	return r.questions.applyAnswer(q)
}

// applyHeld applies the answers that were given during a pause: when the pause ends, and before
// a request that closes questions and arrived after them.
func (r *requests) applyHeld() {
	held := r.state.Held()
	if len(held) == 0 {
		return
	}
	found, ok := required(r.ledger, func() (map[string][]store.Request, error) {
		return r.e.Store.Requests(r.ctx, []store.InboxAfter{{Session: r.id, N: held[0].N - 1}})
	})
	if !ok {
		return
	}
	r.state.ReleaseHeld()
	for _, q := range found[r.id] {
		if i := sort.Search(len(held), func(i int) bool { return held[i].N >= q.N }); i < len(held) && held[i].N == q.N {
			r.unwritten.applied = append(r.unwritten.applied, store.RequestOutcome{ID: q.ID, Outcome: r.answered(&q)})
		}
	}
}

// applyLost records the result of a call that a worker made although it had lost the session. The
// call is normally in the history already, because the engine that took the session over found it
// in the list of the last checkpoint; then only the request keeps the result. The call is recorded
// here only if the history has no record of the attempt (an older engine took the session over).
func (r *requests) applyLost(q *store.Request) string {
	var c lostCall
	if err := json.Unmarshal(q.Body, &c); err != nil {
		return "unreadable: " + err.Error()
	}
	known, ok := required(r.ledger, func() ([]store.Execution, error) {
		return r.e.Store.Executions(r.ctx, r.id, store.HistoryQuery{Step: c.Step, Newest: true, Limit: maxPage})
	})
	if !ok {
		return ""
	}
	for _, x := range r.unwritten.executions {
		known = append(known, *x)
	}
	for i := range known {
		if x := &known[i]; x.Step == c.Step && x.Visit == c.Visit && x.Attempt == c.Attempt {
			return fmt.Sprintf("execution %d of the history says so", x.Seq)
		}
	}
	r.recordLost(c, "the worker that made this call had lost the session; the call may have been made twice")
	return "recorded"
}
