package compat

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/coder/websocket"
)

// A nebulaConn is one client of NebulaFlow's route. Its commands are worked on one after
// the other; each session it follows has a goroutine of its own.
type nebulaConn struct {
	n      *nebulaFlow
	ws     *websocket.Conn
	out    chan []byte
	life   context.Context // of the connection: what follows sessions outlives the command that began it
	cancel context.CancelFunc
	work   sync.WaitGroup

	mu    sync.Mutex
	runs  map[string]*nebulaRun // by session
	asked map[string]*nebulaAsk // approvals that were shown, by question

	// Only the reader uses what follows.
	name      string // of the workflow on the client's canvas
	clipboard json.RawMessage
	dialogs   map[string]nebulaDialog // questions to the client, by request id
	requests  int
}

// A nebulaMessage is any message to a client. Session, Status and Error are ours: clients of
// NebulaFlow do not look at them.
type nebulaMessage struct {
	Type            string `json:"type"`
	Data            any    `json:"data,omitempty"`
	StoppedAtNodeID string `json:"stoppedAtNodeId,omitempty"`
	Session         string `json:"session,omitempty"`
	Status          string `json:"status,omitempty"`
	Error           string `json:"error,omitempty"`

	// Of what NebulaFlow's own bridge to browsers sends, whose types begin with bridge:.
	Message    string `json:"message,omitempty"`
	RequestID  string `json:"requestId,omitempty"`
	DefaultURI string `json:"defaultUri,omitempty"`
	URL        string `json:"url,omitempty"`
}

// send queues a message; it waits while the queue is full, so that a slow client slows down
// what it follows and nothing piles up.
func (c *nebulaConn) send(ctx context.Context, m nebulaMessage) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(m); err != nil {
		c.n.o.Log.ErrorContext(ctx, "message cannot be written", "type", m.Type, "error", err)
		return
	}
	select {
	case c.out <- b.Bytes():
	case <-ctx.Done():
	}
}

// write sends what is queued, and asks now and then whether the client is there.
func (c *nebulaConn) write(ctx context.Context) {
	defer c.cancel()
	beat := time.NewTicker(c.n.o.Heartbeat)
	defer beat.Stop()
	for {
		var err error
		select {
		case text := <-c.out:
			err = within(ctx, func(ctx context.Context) error { return c.ws.Write(ctx, websocket.MessageText, text) })
		case <-beat.C:
			err = within(ctx, c.ws.Ping)
		case <-ctx.Done():
			return
		}
		if err != nil {
			return
		}
	}
}

var errSlowClient = errors.New("the client takes nothing")

func within(ctx context.Context, do func(context.Context) error) error {
	ctx, cancel := context.WithTimeoutCause(ctx, nebulaWrite, errSlowClient)
	defer cancel()
	return do(ctx)
}

// read works on commands until the connection ends.
func (c *nebulaConn) read(ctx context.Context) {
	for {
		kind, text, err := c.ws.Read(ctx)
		if err != nil {
			return // closed, or larger than the limit, which the library says itself
		}
		if kind != websocket.MessageText {
			c.fail(ctx, "messages are JSON text frames, not binary ones")
			continue
		}
		c.handle(ctx, text)
	}
}

// A nebulaCommand is a message of a client.
type nebulaCommand struct {
	Type string          `json:"type"`
	Data json.RawMessage `json:"data"`

	URL       string   `json:"url"` // open_external_link
	RequestID string   `json:"requestId"`
	Paths     []string `json:"paths"`
	Path      string   `json:"path"`
	Cancelled bool     `json:"cancelled"`
}

// handle works on one message. Whatever is wrong with it is said; the connection stays.
func (c *nebulaConn) handle(ctx context.Context, text []byte) {
	var m nebulaCommand
	if err := json.Unmarshal(text, &m); err != nil {
		c.fail(ctx, "the message is no JSON object with a type: "+jsonFault("", err))
		return
	}
	do := nebulaCommands[m.Type]
	if do == nil {
		c.fail(ctx, fmt.Sprintf("there is no message %q", cutText(m.Type)))
		return
	}
	ctx, cancel := context.WithTimeout(ctx, nebulaAnswer)
	defer cancel()
	if err := do(c, ctx, m); err != nil {
		c.report(ctx, fmt.Errorf("%s: %w", m.Type, err))
	}
}

// report tells the client of an error; one of ours is logged and told without detail.
func (c *nebulaConn) report(ctx context.Context, err error) {
	if err == nil {
		return
	}
	text := nebulaError(err)
	if text == "" {
		c.n.o.Log.ErrorContext(ctx, "message failed", "error", err)
		text = "internal error"
	}
	c.fail(ctx, text)
}

// nebulaError is what a client reads of an error, "" for one that is ours.
func nebulaError(err error) string {
	var refused flowRefusal
	if errors.As(err, &refused) {
		return err.Error()
	}
	return flowError(err)
}

// fail shows an error to the person, as NebulaFlow does with its host's messages.
func (c *nebulaConn) fail(ctx context.Context, text string) {
	c.send(ctx, nebulaMessage{Type: "bridge:show_error", Message: text})
}

func (c *nebulaConn) inform(ctx context.Context, text string) {
	c.send(ctx, nebulaMessage{Type: "bridge:show_info", Message: text})
}

// following returns the sessions this connection follows.
func (c *nebulaConn) following() []*nebulaRun {
	c.mu.Lock()
	defer c.mu.Unlock()
	out := make([]*nebulaRun, 0, len(c.runs))
	for _, r := range c.runs {
		out = append(out, r)
	}
	return out
}
