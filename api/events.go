package api

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/internal/jsontext"
)

type eventsIn struct {
	AtSession
	LastEventID string `header:"Last-Event-ID" doc:"the id of the last event received: what was missed comes first"`
	Last        string `query:"last_event_id" doc:"the same, for clients that cannot set headers"`
	Audience    string `query:"audience" enum:"person,internal" doc:"only the tokens of this audience: person is what the session says to the person; all when absent"`
}

func (r *historyRoutes) registerEvents() {
	register(r.routeTable, operation{id: "watchSession", method: http.MethodGet, path: "/api/v1/sessions/{session}/events", tag: tagHistory,
		summary: "Follow a session as server-sent events", stream: true,
		about: "The first event is a `snapshot` (the session), unless Last-Event-ID says how far the client has come. Then come " +
			"`step` {step, visit, status, caller?, paths?, retry?} (caller is the agent whose tool the visit is, paths led to it, retry {attempt, at, kind, message} says when " +
			"a failed attempt is made again), `message` (a message), `token` {step, visit, call, text, audience, provisional} without an id, " +
			"`session` {status, awaiting}. A token's audience is `person` for what a step says to the person, as it comes, and `internal` for " +
			"everything else: tools, departments, model calls that do not reply. A client that shows a conversation asks for `?audience=person`; " +
			"text with guardrails comes sentence by sentence, each one judged first; `end` is the last one, after which the stream closes. Everything but tokens was made durable before it was sent.",
		problems: []string{"session_not_found"}}, r.events)
	op := r.api.OpenAPI().Paths["/api/v1/sessions/{session}/events"].Get
	op.Responses["200"].Description = "Events"
	op.Responses["200"].Content = map[string]*huma.MediaType{eventStream: {
		Schema:  &huma.Schema{Type: huma.TypeString},
		Example: "retry: 1000\n\nevent: message\nid: 3-2-1\ndata: {\"id\":\"s/1\",\"role\":\"assistant\",\"content\":\"Name?\",\"step\":\"ask\",\"at\":\"2026-01-02T03:04:05Z\"}\n\n",
	}}
}

func (r *historyRoutes) events(ctx context.Context, in *eventsIn) (*huma.StreamResponse, error) {
	last := in.LastEventID
	if last == "" {
		last = in.Last
	}
	ctx, cancel := context.WithCancel(ctx)
	events, err := r.e.Subscribe(ctx, in.Session, last)
	if err != nil {
		cancel()
		return nil, err
	}
	return &huma.StreamResponse{Body: func(c huma.Context) {
		defer cancel()
		_, w := humachi.Unwrap(c)
		r.streams.Add(1)
		defer r.streams.Add(-1)
		r.stream(ctx, w, events, in.Audience)
	}}, nil
}

// stream writes events until they end or the client goes.
func (r *historyRoutes) stream(ctx context.Context, w http.ResponseWriter, events <-chan engine.Event, audience string) {
	h := w.Header()
	h.Set("Content-Type", eventStream)
	h.Set("Cache-Control", "no-store")
	h.Set("X-Accel-Buffering", "no")
	w.WriteHeader(http.StatusOK)
	send := flusher(w, r.heartbeat)
	if send([]byte("retry: 1000\n\n")) != nil {
		return
	}
	beat := time.NewTicker(r.heartbeat)
	defer beat.Stop()
	for {
		var text []byte
		select {
		case ev, open := <-events:
			if !open {
				return
			}
			if token, ok := ev.Data.(engine.TokenEvent); ok && audience != "" && token.Audience != audience {
				continue
			}
			var err error
			if text, err = eventText(ev); err != nil {
				r.log.ErrorContext(ctx, "event cannot be written", "session", ev.Session, "type", ev.Type, "error", err)
				return
			}
		case <-beat.C:
			text = []byte(": alive\n\n")
		case <-ctx.Done():
			return
		}
		if send(text) != nil {
			return
		}
	}
}

// flusher writes at once. A client that takes nothing for longer than a heartbeat and
// some time is given up.
func flusher(w http.ResponseWriter, heartbeat time.Duration) func([]byte) error {
	control := http.NewResponseController(w)
	return func(text []byte) error {
		_ = control.SetWriteDeadline(time.Now().Add(heartbeat + 15*time.Second)) // a writer without deadlines goes without
		if _, err := w.Write(text); err != nil {
			return err
		}
		return control.Flush()
	}
}

func eventText(ev engine.Event) ([]byte, error) {
	var b bytes.Buffer
	fmt.Fprintf(&b, "event: %s\n", ev.Type)
	if ev.ID != "" {
		fmt.Fprintf(&b, "id: %s\n", ev.ID)
	}
	b.WriteString("data: ")
	text, err := jsontext.Marshal(eventData(ev.Data)) // compact JSON has no line breaks
	if err != nil {
		return nil, err
	}
	b.Write(text)
	b.WriteString("\n\n")
	return b.Bytes(), nil
}

// eventData is an event's data as clients see it.
func eventData(data any) any {
	switch d := data.(type) {
	case *engine.Session:
		return sessionOf(d)
	case engine.Message:
		return messageOf(d)
	case engine.StatusEvent:
		d.Awaiting = questionsOf(d.Awaiting)
		return d
	}
	return data
}
