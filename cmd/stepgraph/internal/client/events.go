package client

import (
	"context"
	"encoding/json"
	"io"
	"net/http"

	"github.com/stepgraph/stepgraph/internal/sse"
)

// An Event is one event of a stream.
type Event struct {
	Type string          `json:"event"`
	ID   string          `json:"id,omitempty"`
	Data json.RawMessage `json:"data"`
}

// Subscribe follows a session. The channel is closed after the end event, and when the
// connection breaks: the id of the last event says where to go on.
func (c *sessions) Subscribe(ctx context.Context, session, lastEventID string) (<-chan Event, error) {
	body, err := c.open(ctx, request{method: http.MethodGet, path: path("sessions", session, "events"), accept: "text/event-stream", last: lastEventID})
	if err != nil {
		return nil, err
	}
	events := make(chan Event)
	go func() {
		defer close(events)
		defer body.Close()
		read(ctx, body, events)
	}()
	return events, nil
}

// maxEvent bounds one line of the stream: a snapshot with its messages.
const maxEvent = 8 << 20

// read passes the events of a stream on until the stream ends or ctx does.
func read(ctx context.Context, body io.Reader, to chan<- Event) {
	for event, err := range sse.Read(body, maxEvent) {
		if err != nil {
			return
		}
		select {
		case to <- Event{Type: event.Type, ID: event.ID, Data: json.RawMessage(event.Data)}:
		case <-ctx.Done():
			return
		}
	}
}
