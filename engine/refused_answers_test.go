package engine_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/engine/store"
	"github.com/stepgraph/stepgraph/enginetest"
)

const (
	approvalDue = `{"due": "%s", "on_due": {"approved": false, "reason": "nobody came"}}`
	wasClosed   = "the question was closed before the answer was applied"
)

// refusedAnswer reports whether an answer was refused because nothing is open, and fails the test
// on any other error.
func (r *refusal) refusedAnswer(err error) bool {
	if err != nil && !errors.Is(err, engine.ErrNoOpenQuestion) {
		r.Error(err)
	}
	return err != nil
}

// TestAnswersAroundTheDueTime: an approval sent around its due time is refused or takes effect.
func TestAnswersAroundTheDueTime(t *testing.T) {
	refusals(t, engine.Options{}, func(r *refusal) {
		r.workflow("w", []engine.Step{{ID: "root", Function: "work", Approval: true,
			Extra: map[string]any{"approval_options": fmt.Sprintf(approvalDue, "300ms")}}})
		r.run()
		const sessions = 150
		acknowledged := make([]bool, sessions)
		var all sync.WaitGroup
		for i := range sessions {
			all.Go(func() {
				id := fmt.Sprintf("S%d", i)
				if _, err := r.engine.Start(r.ctx, engine.StartRequest{Workflow: "w", ID: id}); err != nil {
					r.Error(err)
				}
				s := r.until(id, engine.StatusAwaitingInput, engine.StatusError)
				if len(s.Awaiting) == 0 {
					return // the machine was too slow to ask in time
				}
				due := s.Awaiting[0].Since.Add(300 * time.Millisecond)
				time.Sleep(time.Until(due.Add(time.Duration(i%20-2) * time.Millisecond)))
				by := []*engine.Engine{r.engine, r.outside}[i%2]
				_, err := by.Answer(r.ctx, engine.AnswerRequest{Session: id, Step: "root", Response: []byte("true")})
				acknowledged[i] = !r.refusedAnswer(err)
			})
		}
		all.Wait()
		r.approved(acknowledged)
	})
}

// approved wants that exactly the acknowledged approvals have had their effect.
func (r *refusal) approved(acknowledged []bool) {
	yes, lost, unasked := 0, 0, 0
	for i, yesSaid := range acknowledged {
		s := r.until(fmt.Sprintf("S%d", i), engine.StatusComplete, engine.StatusError)
		done := s.Status == engine.StatusComplete && r.called(fmt.Sprintf("S%d/root/1/1", i)) == 1
		switch {
		case yesSaid && done:
			yes++
		case yesSaid:
			lost++
		case done:
			unasked++
		}
	}
	r.Logf("%d sessions: %d approvals acknowledged and applied, %d acknowledged and lost, %d refused", len(acknowledged), yes, lost, len(acknowledged)-yes-lost)
	if lost > 0 || unasked > 0 {
		r.Errorf("%d acknowledged approvals are lost, %d refused ones had an effect", lost, unasked)
	}
}

// TestAnswerBeforeAClosedQuestion: a question is closed, and an answer is accepted before the
// checkpoint that says so is written. The answer counts.
func TestAnswerBeforeAClosedQuestion(t *testing.T) {
	for name, c := range map[string]struct {
		step engine.Step
		send func(r *refusal) error // between the decision to close and its checkpoint
		want string                 // in the output of the step
	}{
		"question with on_due": {engine.Step{Function: "ask", Input: `{"prompt": "?", "due": "50ms", "on_due": "nobody"}`},
			func(r *refusal) error { return r.answerEarly("A") }, `"response":"A"`},
		"approval with on_due": {engine.Step{Function: "work", Approval: true, Input: `{"x": 1}`, Extra: map[string]any{"approval_options": fmt.Sprintf(approvalDue, "50ms")}},
			func(r *refusal) error { return r.answerEarly("true") }, `"worked":true`},
		"signal with a time": {engine.Step{Function: "sleep", Input: `{"signal": "go", "for": "50ms"}`},
			func(r *refusal) error {
				return r.act("S", engine.RequestSignal, func(a *engine.Action) { a.Name = "go" })
			}, `"timed_out":false`},
	} {
		t.Run(name, func(t *testing.T) {
			refusals(t, engine.Options{}, func(r *refusal) {
				c.step.ID = "root"
				r.workflow("w", []engine.Step{c.step})
				r.store.before = func(cp *store.Checkpoint) {
					if cp.Closing && r.first("sent") {
						if err := c.send(r); err != nil {
							r.Error(err)
						}
					}
				}
				r.run()
				r.start("w", "S")
				s := r.until("S", engine.StatusComplete, engine.StatusError)
				out, err := r.store.Session(r.ctx, "S")
				if err != nil || s.Status != engine.StatusComplete || !strings.Contains(string(out.State), c.want) {
					r.Errorf("the session is %s, want an output with %s: %s %v", s.Status, c.want, out.State, err)
				}
				if r.store.refused.Load() == 0 {
					r.Error("no checkpoint was refused")
				}
			})
		})
	}
}

// answerEarly delivers an answer to S as if it had been accepted just before the due time: by
// now the clock may have passed it.
func (r *refusal) answerEarly(response string) error {
	if response != "true" {
		response = fmt.Sprintf("%q", response)
	}
	got, err := r.store.Deliver(r.ctx, []store.Delivery{{Session: "S", Key: "early", Decide: func(store.InboxView) (*engine.Request, error) {
		return &engine.Request{Kind: engine.RequestAnswer, Target: "S/root/1/1", Step: "root", Visit: 1, Ask: 1, Body: []byte(response)}, nil
	}}})
	if err != nil {
		return err
	}
	return got[0].Err
}

// TestAnswersBesideAReask: answers sent beside a reask are refused or take effect.
func TestAnswersBesideAReask(t *testing.T) {
	refusals(t, engine.Options{}, func(r *refusal) {
		r.workflow("w", []engine.Step{{ID: "root", Function: "ask", Input: `{"prompt": "?"}`}, {ID: "after", Function: "work"}}, "root>after")
		r.run()
		const sessions = 100
		var all sync.WaitGroup
		var acknowledged, dropped atomic.Int64
		for i := range sessions {
			id := fmt.Sprintf("S%d", i)
			r.start("w", id)
			r.until(id, engine.StatusAwaitingInput)
			all.Go(func() {
				if err := r.act(id, engine.RequestReask); err != nil && !errors.Is(err, engine.ErrSessionEnded) {
					r.Error(err)
				}
			})
			all.Go(func() {
				if i%3 == 0 {
					time.Sleep(time.Duration(i%7) * time.Millisecond / 4)
				}
				if !r.refusedAnswer(r.answer(id, "root", `"Ada"`)) {
					acknowledged.Add(1)
					if r.until(id, engine.StatusComplete).Status != engine.StatusComplete || slices.Contains(r.outcomes(id, engine.RequestAnswer), wasClosed) {
						dropped.Add(1)
					}
				}
			})
		}
		all.Wait()
		r.Logf("%d answers: %d acknowledged, of these %d dropped", sessions, acknowledged.Load(), dropped.Load())
		if dropped.Load() > 0 {
			r.Error("acknowledged answers were dropped")
		}
	})
}

// TestAnswerBehindAReask: a reask that nobody has applied yet is in front of an answer.
func TestAnswerBehindAReask(t *testing.T) {
	for _, kind := range []string{engine.RequestReask, engine.RequestCancel, engine.RequestMove} {
		t.Run(kind, func(t *testing.T) {
			refusals(t, engine.Options{}, func(r *refusal) {
				r.workflow("w", []engine.Step{{ID: "root", Function: "ask", Input: `{"prompt": "?"}`}, {ID: "after", Function: "work"}}, "root>after")
				early := engine.New(r.store.Store, r.fakes.registry(), engine.Options{})
				stopEarly := enginetest.Start(r, early)
				r.start("w", "S")
				r.until("S", engine.StatusAwaitingInput)
				stopEarly()
				if err := r.act("S", kind, func(a *engine.Action) { a.To = map[bool]string{true: "after"}[kind == engine.RequestMove] }); err != nil {
					r.Fatal(err)
				}
				if !r.refusedAnswer(r.answer("S", "root", `"Ada"`)) {
					r.Errorf("an answer behind an unapplied %s was accepted", kind)
				}
				r.run()
				r.until("S", map[string]string{engine.RequestReask: engine.StatusAwaitingInput, engine.RequestCancel: engine.StatusCancelled,
					engine.RequestMove: engine.StatusComplete}[kind])
			})
		})
	}
}

// TestAnswerThenCancel: an answer and a cancel that are taken together end the session cancelled,
// and the effect behind the answer is not made.
func TestAnswerThenCancel(t *testing.T) {
	refusals(t, engine.Options{}, func(r *refusal) {
		r.workflow("w", []engine.Step{{ID: "root", Function: "ask", Input: `{"prompt": "?"}`}, {ID: "charge", Function: "work"}}, "root>charge")
		early := engine.New(r.store.Store, r.fakes.registry(), engine.Options{})
		stopEarly := enginetest.Start(r, early)
		const sessions = 20
		for i := range sessions {
			r.start("w", fmt.Sprintf("S%d", i))
		}
		for i := range sessions {
			r.until(fmt.Sprintf("S%d", i), engine.StatusAwaitingInput)
		}
		stopEarly()
		for i := range sessions {
			id := fmt.Sprintf("S%d", i)
			if err := errors.Join(r.answer(id, "root", `"yes"`), r.act(id, engine.RequestCancel)); err != nil {
				r.Fatal(err)
			}
		}
		r.run()
		charged := 0
		for i := range sessions {
			id := fmt.Sprintf("S%d", i)
			r.until(id, engine.StatusCancelled)
			charged += r.called(id + "/charge/1/1")
		}
		r.Logf("%d sessions cancelled, %d charges", sessions, charged)
		if charged > 0 {
			r.Error("the effect behind the answer was made")
		}
	})
}

// TestCancelDuringTheLastCall: a cancel that is acknowledged while the last checkpoint of a
// session is on its way comes before the end.
func TestCancelDuringTheLastCall(t *testing.T) {
	refusals(t, engine.Options{}, func(r *refusal) {
		r.workflow("w", []engine.Step{{ID: "root", Function: "linger", Input: `{"ms": 5}`}, {ID: "after", Function: "echo"}}, "root>after")
		r.store.before = func(cp *store.Checkpoint) {
			if cp.Closing && r.first("cancel") {
				if err := r.act("S", engine.RequestCancel); err != nil {
					r.Error(err)
				}
			}
		}
		r.run()
		r.start("w", "S")
		s := r.until("S", engine.StatusCancelled, engine.StatusComplete)
		all, err := r.outside.Executions(r.ctx, "S", engine.HistoryQuery{})
		if err != nil || s.Status != engine.StatusCancelled || r.called("S/root/1/1") != 1 {
			r.Errorf("the session is %s after %d calls: %v", s.Status, r.called("S/root/1/1"), err)
		}
		if len(all) != 2 || !strings.Contains(string(all[1].Output), "done") {
			r.Errorf("the result of the call is not in the history: %+v", all)
		}
	})
}

// unreadable makes reads of inboxes fail for a while.
type unreadable struct {
	engine.Store
	fail atomic.Int64 // so many reads fail
}

func (s *unreadable) Requests(ctx context.Context, after []store.InboxAfter) (map[string][]engine.Request, error) {
	if s.fail.Add(-1) >= 0 {
		return nil, engine.ErrUnavailable
	}
	return s.Store.Requests(ctx, after)
}

// TestHeldAnswersAreReadAgain: answers given during a pause are applied when it is lifted, also
// when the store is away in that moment.
func TestHeldAnswersAreReadAgain(t *testing.T) {
	refusals(t, engine.Options{}, func(r *refusal) {
		flaky := &unreadable{Store: r.store.Store}
		r.store.Store = flaky
		r.workflow("w", []engine.Step{{ID: "root", Function: "ask", Input: `{"prompt": "?"}`}, {ID: "after", Function: "work"}}, "root>after")
		r.run()
		r.start("w", "S")
		r.until("S", engine.StatusAwaitingInput)
		if err := r.act("S", engine.RequestPause); err != nil {
			r.Fatal(err)
		}
		r.until("S", engine.StatusPaused)
		if err := r.answer("S", "root", `"Ada"`); err != nil {
			r.Fatal(err)
		}
		time.Sleep(100 * time.Millisecond)
		flaky.fail.Store(3)
		if err := r.act("S", engine.RequestResume); err != nil {
			r.Fatal(err)
		}
		r.until("S", engine.StatusComplete)
		if left := flaky.fail.Load(); left > 0 {
			r.Errorf("%d reads were still to fail", left)
		}
	})
}

// TestHeldAnswerBeforeAReask: an answer given during a pause comes before a reask that follows it.
func TestHeldAnswerBeforeAReask(t *testing.T) {
	refusals(t, engine.Options{}, func(r *refusal) {
		r.workflow("w", []engine.Step{{ID: "root", Function: "ask", Input: `{"prompt": "?"}`}, {ID: "after", Function: "work"}}, "root>after")
		r.run()
		r.start("w", "S")
		r.until("S", engine.StatusAwaitingInput)
		if err := r.act("S", engine.RequestPause); err != nil {
			r.Fatal(err)
		}
		r.until("S", engine.StatusPaused)
		if err := errors.Join(r.answer("S", "root", `"Ada"`), r.act("S", engine.RequestReask), r.act("S", engine.RequestResume)); err != nil {
			r.Fatal(err)
		}
		r.until("S", engine.StatusComplete)
		if got := r.outcomes("S", engine.RequestAnswer); len(got) != 1 || got[0] != "applied" {
			r.Errorf("the answer's outcome is %q", got)
		}
	})
}
