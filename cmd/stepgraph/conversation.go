package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/stepgraph/stepgraph/api"
	"github.com/stepgraph/stepgraph/cmd/stepgraph/internal/client"
	"github.com/stepgraph/stepgraph/engine"
)

// A conversation plays one session to its end, or to a question without an answer. It
// shows what is said as it comes: events only tell that there is something to read, the
// history is what is shown, so that nothing is lost and nothing shown twice.
type conversation struct {
	a       *app
	s       *client.Client
	id      string
	answers *answers
	person  *terminal // nil without a terminal
	piped   *lines    // of a pipe, nil when there are none
	talk    io.Writer // where messages go
	trace   bool

	mu       sync.Mutex
	messages *client.Trail[api.Message]
	ran      *client.Trail[api.Execution]
}

// play returns the session as it is when it is idle in the end.
func (c *conversation) play(ctx context.Context) (*api.Session, error) {
	c.messages, c.ran = c.s.Messages(c.id), c.s.Executions(c.id, "")
	defer c.watch(ctx)()
	for {
		s, err := c.s.Wait(ctx, c.id)
		if err != nil {
			return nil, err
		}
		if err := c.show(ctx); err != nil {
			return s, err
		}
		if s.Status != engine.StatusAwaitingInput {
			return s, nil
		}
		given, err := c.answer(ctx, s.Awaiting)
		if err != nil || !given {
			return s, err
		}
	}
}

// watch shows what is said while the session runs; the returned func ends it.
func (c *conversation) watch(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	events, err := c.s.Subscribe(ctx, c.id, "")
	if err != nil {
		return cancel // then all is shown at the next rest
	}
	var watching sync.WaitGroup
	watching.Go(func() {
		for range events {
			_ = c.show(ctx) // what could not be read now is read at the next rest
		}
	})
	return func() {
		cancel()
		watching.Wait()
	}
}

// answer gives one answer, of the file or of the person; given is false when there is
// none.
func (c *conversation) answer(ctx context.Context, open []engine.Question) (given bool, err error) {
	if step, response, ok := c.answers.next(open); ok {
		_, err := c.s.Answer(ctx, engine.AnswerRequest{Session: cmp.Or(sessionAsking(open, step), c.id), Step: step, Response: response}, 0)
		return true, err
	}
	q := longest(open)
	if q == nil {
		return false, nil
	}
	if c.person == nil {
		return c.nextLine(ctx, q)
	}
	for {
		response, ok := c.person.ask(*q)
		if !ok {
			return false, nil
		}
		_, err := c.s.Answer(ctx, engine.AnswerRequest{Session: cmp.Or(q.Session, c.id), Step: q.Step, Response: response}, 0)
		if !errors.Is(err, engine.ErrAnswerInvalid) {
			return true, err
		}
		c.person.refused(err)
	}
}

// nextLine answers with the next line of the pipe, or with a line for each field of a form. One
// that does not fit ends the play: the line after it answers another question.
func (c *conversation) nextLine(ctx context.Context, q *engine.Question) (given bool, err error) {
	if c.piped == nil {
		return false, nil
	}
	var response json.RawMessage
	if f := formOf(*q); f != nil {
		if response, err = f.piped(c.piped); response == nil {
			return false, err
		}
	} else {
		line, ok := c.piped.line("")
		if !ok {
			return false, nil
		}
		response = typed(*q, line)
	}
	_, err = c.s.Answer(ctx, engine.AnswerRequest{Session: cmp.Or(q.Session, c.id), Step: q.Step, Response: response}, 0)
	return true, err
}

// sessionAsking is the child session that asks the question of a step, "" for none.
func sessionAsking(open []engine.Question, step string) string {
	for _, q := range open {
		if q.Step == step && !q.Answered {
			return q.Session
		}
	}
	return ""
}

// longest is the question that waits longest and has no answer yet.
func longest(open []engine.Question) *engine.Question {
	for i := range open {
		if !open[i].Answered && open[i].Kind != engine.AskSignal {
			return &open[i]
		}
	}
	return nil
}

// show prints what has been said and done since the last time.
func (c *conversation) show(ctx context.Context) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	said, err := c.messages.Next(ctx)
	if err != nil {
		return err
	}
	for _, m := range said {
		if m.Role != "user" || c.person == nil { // a person has typed it
			fmt.Fprintln(c.talk, messageLine(m))
		}
	}
	if !c.trace {
		return nil
	}
	done, err := c.ran.Next(ctx)
	if err != nil {
		return err
	}
	for i := range done {
		c.a.printErr("%s", executionLine(&done[i]))
	}
	return nil
}

// messageLine is a line of the chat; what people say is marked.
func messageLine(m api.Message) string {
	if m.Role == "user" {
		return "> " + m.Content
	}
	return m.Content
}

// executionLine is a line of the history.
func executionLine(x *api.Execution) string {
	line := fmt.Sprintf("%4d  %s", x.Seq, x.Step)
	if x.Visit > 1 {
		line += fmt.Sprintf(" (visit %d)", x.Visit)
	}
	if x.Attempt > 1 {
		line += fmt.Sprintf(" (attempt %d)", x.Attempt)
	}
	line += "  " + x.Status
	if x.Function != "" {
		line += "  " + x.Function
	}
	if took := x.FinishedAt.Sub(x.StartedAt).Milliseconds(); took > 0 {
		line += fmt.Sprintf("  %d ms", took)
	}
	if len(x.Error) > 0 {
		return line + "  " + errorText(x.Error)
	}
	if len(x.Output) > 0 {
		line += "  " + short(string(x.Output), 100)
	}
	return line
}

// errorText is the message of a stored error.
func errorText(stored json.RawMessage) string {
	var e struct {
		Kind    string `json:"kind"`
		Message string `json:"message"`
	}
	if json.Unmarshal(stored, &e) != nil || e.Message == "" {
		return oneLine(string(stored))
	}
	return e.Kind + ": " + oneLine(e.Message) // whole: what to do often stands at its end
}
