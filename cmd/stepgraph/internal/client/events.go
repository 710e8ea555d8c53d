package client

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/stepgraph/stepgraph/engine"
)

// Subscribe follows a session; see engine.Engine.Subscribe. The channel is also closed
// when the connection breaks: the id of the last event says where to go on.
func (c *Client) Subscribe(ctx context.Context, session, lastEventID string) (<-chan engine.Event, error) {
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
	events := make(chan engine.Event)
	go func() {
		defer close(events)
		defer response.Body.Close()
		read(ctx, response.Body, session, events)
	}()
	return events, nil
}

// maxEvent bounds one line of the stream: a snapshot with its messages.
const maxEvent = 8 << 20

// read takes a stream of events apart until it ends.
func read(ctx context.Context, body io.Reader, session string, to chan<- engine.Event) {
	lines := bufio.NewScanner(body)
	lines.Buffer(nil, maxEvent)
	ev, data := engine.Event{Session: session}, []string{}
	for lines.Scan() {
		field, value, _ := strings.Cut(lines.Text(), ":")
		value = strings.TrimPrefix(value, " ")
		switch {
		case lines.Text() == "":
			if decoded, err := decode(ev, strings.Join(data, "\n")); err == nil {
				select {
				case to <- decoded:
				case <-ctx.Done():
					return
				}
			}
			ev, data = engine.Event{Session: session}, data[:0]
		case field == "event":
			ev.Type = value
		case field == "id":
			ev.ID = value
		case field == "data":
			data = append(data, value)
		}
	}
}

// decode gives an event the type of its data.
func decode(ev engine.Event, data string) (engine.Event, error) {
	switch ev.Type {
	case engine.EventSnapshot:
		return typed[*engine.Session](ev, data)
	case engine.EventStep:
		return typed[engine.StepEvent](ev, data)
	case engine.EventMessage:
		return typed[engine.Message](ev, data)
	case engine.EventToken:
		return typed[engine.TokenEvent](ev, data)
	case engine.EventSession, engine.EventEnd:
		return typed[engine.StatusEvent](ev, data)
	}
	return ev, fmt.Errorf("event of type %q is not known", ev.Type)
}

func typed[T any](ev engine.Event, data string) (engine.Event, error) {
	var value T
	err := json.Unmarshal([]byte(data), &value)
	ev.Data = value
	return ev, err
}
