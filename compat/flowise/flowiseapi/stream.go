package flowiseapi

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"time"

	"github.com/stepgraph/stepgraph/compat/flowise"
	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/internal/jsontext"
)

// streamPatience is how long a client may take for one frame.
const streamPatience = 30 * time.Second

// A frameWriter writes events in Flowise's framing.
type frameWriter struct {
	w       http.ResponseWriter
	control *http.ResponseController
	err     error
}

func (s *frameWriter) send(events ...flowise.Event) {
	for _, one := range events {
		var b bytes.Buffer
		b.WriteString("message:\ndata:")
		text, err := jsontext.Marshal(one) // compact JSON has no line breaks
		if s.err == nil {
			s.err = err
		}
		if s.err != nil {
			return
		}
		b.Write(text)
		b.WriteString("\n\n")
		_ = s.control.SetWriteDeadline(time.Now().Add(streamPatience)) // a writer without deadlines goes without
		if _, s.err = s.w.Write(b.Bytes()); s.err == nil {
			s.err = s.control.Flush()
		}
	}
}

// stream runs a turn and sends its events while it runs. What fails from here on is an event.
func (f *turns) stream(w http.ResponseWriter, r *http.Request, t *flowTurn) error {
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-cache")
	h.Set("X-Accel-Buffering", "no")
	w.WriteHeader(http.StatusOK)
	frames := &frameWriter{w: w, control: http.NewResponseController(w)}
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	entries, err := f.tell(ctx, frames, t)
	if err != nil {
		frames.send(flowise.Event{Event: "error", Data: refusalOf(ctx, f.o.Log, r.URL.Path, err).message})
	} else {
		frames.send(flowise.Event{Event: "metadata", Data: t.metadata(entries)})
	}
	frames.send(flowise.Event{Event: "end", Data: "[DONE]"})
	return nil
}

// flowMetadata is what a client needs to go on with a conversation.
type flowMetadata struct {
	ChatID        string          `json:"chatId"`
	ChatMessageID string          `json:"chatMessageId"`
	Question      string          `json:"question,omitempty"`
	SessionID     string          `json:"sessionId"`
	Action        json.RawMessage `json:"action,omitempty"`
}

func (t *flowTurn) metadata(entries []flowise.Entry) flowMetadata {
	m := flowMetadata{ChatID: t.chat, ChatMessageID: t.message, SessionID: t.session, Action: flowise.Action(entries)}
	if t.question != nil {
		m.Question = *t.question
	}
	return m
}

// tell follows a run to its rest and returns what has run.
func (f *turns) tell(ctx context.Context, frames *frameWriter, t *flowTurn) ([]flowise.Entry, error) {
	if err := f.begin(ctx, t); err != nil {
		return nil, err
	}
	run := flowise.Run{Workflow: t.workflow, Session: &engine.Session{ID: t.run, Status: engine.StatusActive}}
	stream := flowise.NewStream(run, t.before)
	events, err := f.e.Subscribe(ctx, t.run, "")
	if err != nil {
		return nil, err
	}
	frames.send(stream.Begin()...)
	if err := f.follow(ctx, frames, &run, t.made, stream, events); err != nil {
		return nil, err
	}
	run, entries, err := f.read(ctx, t.run, t.workflow)
	if err != nil {
		return nil, err
	}
	frames.send(stream.Rest(run, entries)...)
	return entries, failureOf(run, entries)
}

// follow passes on what happens until the session rests.
func (f *turns) follow(ctx context.Context, frames *frameWriter, run *flowise.Run, made *engine.Session, stream *flowise.Stream, events <-chan engine.Event) error {
	rested := make(chan error, 1)
	go func() {
		_, err := f.e.WaitAfter(ctx, made)
		rested <- err
	}()
	for {
		select {
		case err := <-rested:
			return err
		case ev, open := <-events:
			if !open {
				events = nil // the session has ended: Wait returns
				continue
			}
			if err := f.pass(ctx, frames, run, stream, ev); err != nil {
				return err
			}
			if frames.err != nil {
				return frames.err // the client is gone; the session goes on
			}
		}
	}
}

func (f *turns) pass(ctx context.Context, frames *frameWriter, run *flowise.Run, stream *flowise.Stream, ev engine.Event) error {
	switch data := ev.Data.(type) {
	case engine.TokenEvent:
		frames.send(stream.Token(data.Step, data.Visit, data.Text)...)
	case engine.StepEvent:
		if data.Retry != nil {
			return nil // the node is at work still
		}
		if data.Status == engine.StatusActive {
			frames.send(stream.Started(data.Step, data.Visit)...)
			return nil
		}
		var err error
		if run.Executions, err = f.more(ctx, run.Session.ID, run.Executions); err != nil {
			return err
		}
		frames.send(stream.Update(flowise.Executed(*run), false)...)
	}
	return nil
}
