package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/stepgraph/stepgraph/engine"
)

// stepsAround is how many steps of pause and resume run before and after the question.
const stepsAround = 2

// turnSteps is how many steps a turn of a conversation has.
const turnSteps = 3

// sustained keeps Options.Sessions sessions in flight for Options.Time.
func (b *bench) sustained(ctx context.Context, steps int) error {
	return b.timed(func() error {
		end := time.Now().Add(b.o.Time)
		return together(ctx, b.o.Sessions, b.o.Sessions, func(ctx context.Context, _ int) error {
			for time.Now().Before(end) {
				began := time.Now()
				s, err := b.engine.StartAndWait(ctx, engine.StartRequest{Workflow: b.workflow})
				if err != nil {
					return err
				}
				if err := wantStatus(s, engine.StatusComplete); err != nil {
					return err
				}
				b.add(time.Since(began), steps, 1)
			}
			return nil
		})
	})
}

// wantStatus is an error when an idle session has another status than expected: a number measured
// on failures would be none.
func wantStatus(s *engine.Session, status string) error {
	if s.Status == status {
		return nil
	}
	why := ""
	if s.Error != nil {
		why = ": " + s.Error.Message
	}
	return fmt.Errorf("session %s is %s instead of %s%s", s.ID, s.Status, status, why)
}

// atOnce is how many callers start and answer at the same time.
const atOnce = 256

// started starts n sessions and waits until each asks.
func (b *bench) started(ctx context.Context, n int) ([]string, time.Duration, error) {
	ids := make([]string, n)
	began := time.Now()
	err := together(ctx, n, atOnce, func(ctx context.Context, i int) error {
		s, err := b.engine.StartAndWait(ctx, engine.StartRequest{Workflow: b.workflow})
		if err != nil {
			return err
		}
		ids[i] = s.ID
		return wantStatus(s, engine.StatusAwaitingInput)
	})
	return ids, time.Since(began), err
}

var reply = json.RawMessage(`"Go on"`)

// answer answers one session and waits until it is idle with a status.
func (b *bench) answer(ctx context.Context, id, status string) error {
	answered, err := b.engine.Answer(ctx, engine.AnswerRequest{Session: id, Response: reply})
	if err != nil {
		return err
	}
	s, err := b.engine.WaitAfter(ctx, answered)
	if err != nil {
		return err
	}
	return wantStatus(s, status)
}

// answered answers all sessions and waits until each has ended.
func (b *bench) answered(ctx context.Context, ids []string) (time.Duration, error) {
	began := time.Now()
	err := together(ctx, len(ids), atOnce, func(ctx context.Context, i int) error {
		asked := time.Now()
		if err := b.answer(ctx, ids[i], engine.StatusComplete); err != nil {
			return err
		}
		b.add(time.Since(asked), stepsAround, 1)
		return nil
	})
	return time.Since(began), err
}

// playPause starts and answers Options.Sessions sessions, again and again for
// Options.Time.
func (b *bench) playPause(ctx context.Context) error {
	var starting, answering time.Duration
	n := 0
	err := b.timed(func() error {
		end := time.Now().Add(b.o.Time)
		for n == 0 || time.Now().Before(end) {
			ids, took, err := b.started(ctx, b.o.Sessions)
			starting += took
			if err != nil {
				return err
			}
			took, err = b.answered(ctx, ids)
			answering += took
			if err != nil {
				return err
			}
			n += len(ids)
		}
		return nil
	})
	b.steps += n * (stepsAround + 1) // before the question, and the question
	b.startPerS, b.resumePerS = rate(n, starting), rate(n, answering)
	return err
}

// playResume pauses Options.Sessions sessions and then answers them all as one batch.
// A latency is the time from asking for the batch until a session has ended.
func (b *bench) playResume(ctx context.Context) error {
	ids, starting, err := b.started(ctx, b.o.Sessions)
	if err != nil {
		return err
	}
	b.startPerS = rate(len(ids), starting)
	return b.timed(func() error {
		began := time.Now()
		if err := b.answerBatch(ctx, ids); err != nil {
			return err
		}
		err := together(ctx, len(ids), atOnce, func(ctx context.Context, i int) error {
			s, err := b.engine.Wait(ctx, ids[i])
			if err != nil {
				return err
			}
			b.add(s.UpdatedAt.Sub(began), stepsAround, 1)
			return wantStatus(s, engine.StatusComplete)
		})
		b.resumePerS = rate(len(ids), time.Since(began))
		return err
	})
}

// batchEvery is how often the batch is looked at.
const batchEvery = 5 * time.Millisecond

// answerBatch answers sessions as one batch and waits until every answer is accepted.
func (b *bench) answerBatch(ctx context.Context, ids []string) error {
	items := make([]engine.BatchItem, len(ids))
	for i, id := range ids {
		items[i] = engine.BatchItem{Session: id}
	}
	batch, err := b.engine.StartBatch(ctx, engine.BatchRequest{Action: engine.RequestAnswer, Items: items, Options: engine.BatchOptions{Response: reply}})
	if err != nil {
		return err
	}
	tick := time.NewTicker(batchEvery)
	defer tick.Stop()
	for batch.Phase != engine.BatchComplete {
		if batch.Phase == engine.BatchStopped || batch.Failed > 0 {
			return fmt.Errorf("batch %s is %s with %d failed answers: %s", batch.ID, batch.Phase, batch.Failed, batch.Message)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		if batch, err = b.engine.Batch(ctx, batch.ID); err != nil {
			return err
		}
	}
	return b.engine.DeleteBatch(ctx, batch.ID)
}

// playTurns has one conversation of Options.Turns turns.
func (b *bench) playTurns(ctx context.Context) error {
	s, err := b.engine.StartAndWait(ctx, engine.StartRequest{Workflow: b.workflow})
	if err != nil {
		return err
	}
	inOrder := make([]time.Duration, 0, b.o.Turns)
	err = b.timed(func() error {
		for range b.o.Turns {
			began := time.Now()
			if err := b.answer(ctx, s.ID, engine.StatusAwaitingInput); err != nil {
				return err
			}
			inOrder = append(inOrder, time.Since(began))
			b.add(inOrder[len(inOrder)-1], turnSteps, 0)
		}
		return nil
	})
	b.sessions = 1
	n := min(50, len(inOrder))
	first, last := sum(inOrder[:n]), sum(inOrder[len(inOrder)-n:])
	b.first50, b.last50 = &first, &last
	return err
}

// sum adds durations up, in milliseconds.
func sum(list []time.Duration) float64 {
	var all time.Duration
	for _, d := range list {
		all += d
	}
	return ms(all)
}
