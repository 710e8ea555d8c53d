package client

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
)

// An Event is one event of a stream.
type Event struct {
	Type string          `json:"event"`
	ID   string          `json:"id,omitempty"`
	Data json.RawMessage `json:"data"`
}

// Subscribe follows a session. The channel is closed after the end event, and when the
// connection breaks: the id of the last event says where to go on.
func (c *Client) Subscribe(ctx context.Context, session, lastEventID string) (<-chan Event, error) {
	response, err := c.send(ctx, request{method: http.MethodGet, path: path("sessions", session, "events"), accept: "text/event-stream", last: lastEventID})
	if err != nil {
		return nil, err
	}
	if response.StatusCode/100 != 2 {
		defer response.Body.Close()
		text, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer))
		if err != nil {
			return nil, err
		}
		return nil, problem(response, text)
	}
	events := make(chan Event)
	go func() {
		defer close(events)
		defer response.Body.Close()
		read(ctx, response.Body, events)
	}()
	return events, nil
}

// maxEvent bounds one line of the stream: a snapshot with its messages.
const maxEvent = 8 << 20

// read takes a stream of events apart until it ends.
func read(ctx context.Context, body io.Reader, to chan<- Event) {
	lines := bufio.NewScanner(body)
	lines.Buffer(nil, maxEvent)
	ev, data := Event{}, []string{}
	for lines.Scan() {
		field, value, _ := strings.Cut(lines.Text(), ":")
		value = strings.TrimPrefix(value, " ")
		switch {
		case lines.Text() == "":
			if len(data) > 0 {
				ev.Data = json.RawMessage(strings.Join(data, "\n"))
				select {
				case to <- ev:
				case <-ctx.Done():
					return
				}
			}
			ev, data = Event{}, data[:0]
		case field == "event":
			ev.Type = value
		case field == "id":
			ev.ID = value
		case field == "data":
			data = append(data, value)
		}
	}
}
