package nebulaflowapi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/coder/websocket"

	"github.com/stepgraph/stepgraph/compat/internal/flows"
	"github.com/stepgraph/stepgraph/compat/internal/wire"
	"github.com/stepgraph/stepgraph/internal/jsontext"
)

// A conn is one client of NebulaFlow's route. Its commands are worked on one after
// the other; each session it follows has a goroutine of its own.
type conn struct {
	n      *host
	ws     *websocket.Conn
	out    chan []byte
	asker  context.Context // of the request: when it ends, nothing more is taken in or sent but why
	life   context.Context // of the connection: what follows sessions outlives the command that began it
	cancel context.CancelFunc
	work   sync.WaitGroup

	mu    sync.Mutex
	runs  map[string]*run      // by session
	asked map[string]*approval // approvals that were shown, by question

	library *library
}

// A library answers the commands about what is kept between runs: workflows, subflows, nodes of
// the person's own, the clipboard. Only the reader of the connection uses it.
type library struct {
	*conn
	name      string // of the workflow on the client's canvas
	clipboard json.RawMessage
	dialogs   map[string]dialog // questions to the client, by request id
	requests  int
}

// A message is any message to a client. Session, Status and Error are ours: clients of
// NebulaFlow do not look at them.
type message struct {
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
func (c *conn) send(ctx context.Context, m message) {
	text, err := jsontext.Marshal(m)
	if err != nil {
		c.n.o.Log.ErrorContext(ctx, "message cannot be written", "type", m.Type, "error", err)
		return
	}
	select {
	case c.out <- append(text, '\n'):
	case <-ctx.Done():
	}
}

// write sends what is queued, and asks now and then whether the client is there.
func (c *conn) write(ctx context.Context) {
	defer c.cancel()
	beat := time.NewTicker(c.n.o.Heartbeat)
	defer beat.Stop()
	for {
		var err error
		select {
		case text := <-c.out:
			if c.asker.Err() != nil {
				continue
			}
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
	ctx, cancel := context.WithTimeoutCause(ctx, writeTime, errSlowClient)
	defer cancel()
	return do(ctx)
}

// read works on commands until the connection ends.
func (c *conn) read(ctx context.Context) {
	for {
		kind, text, err := c.ws.Read(ctx)
		if err != nil {
			return // closed, or larger than the limit, which the library says itself
		}
		if c.asker.Err() != nil {
			continue // the closing handshake is under way, and takes as long as the client likes
		}
		if kind != websocket.MessageText {
			c.fail(ctx, "messages are JSON text frames, not binary ones")
			continue
		}
		c.handle(ctx, text)
	}
}

// A command is a message of a client.
type command struct {
	Type string          `json:"type"`
	Data json.RawMessage `json:"data"`

	URL       string   `json:"url"` // open_external_link
	RequestID string   `json:"requestId"`
	Paths     []string `json:"paths"`
	Path      string   `json:"path"`
	Cancelled bool     `json:"cancelled"`
}

// handle works on one message. Whatever is wrong with it is said; the connection stays.
func (c *conn) handle(ctx context.Context, text []byte) {
	var m command
	if err := json.Unmarshal(text, &m); err != nil {
		c.fail(ctx, "the message is not a JSON object with a type: "+jsonFault("", err))
		return
	}
	do := commandTable[m.Type]
	if do == nil {
		c.fail(ctx, fmt.Sprintf("there is no message %q", flows.Cut(m.Type)))
		return
	}
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	if err := do(c, ctx, m); err != nil {
		c.report(ctx, fmt.Errorf("%s: %w", m.Type, err))
	}
}

// report sends an error to the client. An internal error is logged, and sent without detail.
func (c *conn) report(ctx context.Context, err error) {
	if err == nil {
		return
	}
	text := wire.Shown(err)
	if text == "" {
		c.n.o.Log.ErrorContext(ctx, "message failed", "error", err)
		text = "internal error"
	}
	c.fail(ctx, text)
}

// fail shows an error to the person, as NebulaFlow does with its host's messages.
func (c *conn) fail(ctx context.Context, text string) {
	c.send(ctx, message{Type: "bridge:show_error", Message: text})
}

func (c *conn) inform(ctx context.Context, text string) {
	c.send(ctx, message{Type: "bridge:show_info", Message: text})
}

// following returns the sessions this connection follows.
func (c *conn) following() []*run {
	c.mu.Lock()
	defer c.mu.Unlock()
	out := make([]*run, 0, len(c.runs))
	for _, r := range c.runs {
		out = append(out, r)
	}
	return out
}
