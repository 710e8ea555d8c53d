package mcp

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/stepgraph/stepgraph/functions/internal/input"
)

// A Pool manages the connections to the configured servers. New calls to a server share one
// connection. It is safe for concurrent use.
type Pool struct {
	options Options
	mu      sync.Mutex
	open    map[string]*connection
	all     map[*connection]bool
	closed  bool
	ending  sync.WaitGroup // waits for connections being closed and for probes
}

// A connection is a connection to a server; ready is closed when it is established or has
// failed.
type connection struct {
	ready   chan struct{}
	session *sdk.ClientSession
	said    *tail
	err     error

	// Guarded by Pool.mu.
	calls   int
	retired bool // takes no new calls; closed when the last call ends
	idle    *time.Timer
}

// NewPool returns a pool. Nothing starts before the first call.
func NewPool(o Options) *Pool {
	return &Pool{options: o.withDefaults(), open: map[string]*connection{}, all: map[*connection]bool{}}
}

// Servers returns the sorted names of the configured servers.
func (p *Pool) Servers() []string { return slices.Sorted(maps.Keys(p.options.Servers)) }

func (p *Pool) server(name string) (Server, error) {
	if s, ok := p.options.Servers[name]; ok {
		return s, nil
	}
	known := "no MCP servers are configured"
	if names := p.Servers(); len(names) > 0 {
		known = "there are " + strings.Join(names, ", ")
	}
	return Server{}, input.Bad("server: there is no MCP server %q; %s", name, known)
}

// probing is the timeout of a ping.
const probing = 5 * time.Second

var errClosed = errors.New("the pool of MCP servers is closed")

// take returns the connection to a server and opens one if there is none. The caller must
// release it.
func (p *Pool) take(ctx context.Context, name string, s Server) (*connection, error) {
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		return nil, errClosed
	}
	c := p.open[name]
	if c == nil {
		c = &connection{ready: make(chan struct{})}
		p.open[name], p.all[c] = c, true
		// Several callers may wait for the connection, so it does not end with this ctx.
		go p.begin(context.WithoutCancel(ctx), c, name, s)
	}
	c.calls++
	if c.idle != nil {
		c.idle.Stop()
	}
	p.mu.Unlock()
	select {
	case <-c.ready:
	case <-ctx.Done():
		p.release(name, c, false)
		return nil, ctx.Err()
	}
	if c.err != nil {
		p.release(name, c, true)
		return nil, c.err
	}
	return c, nil
}

func (p *Pool) begin(ctx context.Context, c *connection, name string, s Server) {
	ctx, cancel := context.WithTimeoutCause(ctx, p.options.Timeout, errors.New("the server did not start in time"))
	defer cancel()
	c.session, c.said, c.err = p.options.connect(ctx, s)
	if c.err != nil {
		c.err = p.unreachable(name, c, c.err)
	}
	close(c.ready)
}

// release returns a connection; broken means that it must not be used again.
func (p *Pool) release(name string, c *connection, broken bool) {
	p.mu.Lock()
	c.calls--
	if broken {
		p.retire(name, c)
	}
	last := c.calls == 0
	if last && !c.retired {
		c.idle = time.AfterFunc(p.options.Idle, func() { p.expire(name, c) })
	}
	if last && c.retired && !p.closed { // Close closes all connections itself
		p.ending.Go(func() { p.end(c) }) // in the background, because a server may take long to end
	}
	p.mu.Unlock()
}

// probe pings a server after a call timed out or was cancelled. The connection is retired only
// if there is no answer: other calls may be waiting for slow tools of the same server.
func (p *Pool) probe(name string, c *connection) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return
	}
	c.calls++
	p.ending.Go(func() {
		ctx, cancel := context.WithTimeout(context.Background(), probing)
		defer cancel()
		err := c.session.Ping(ctx, nil)
		p.release(name, c, err != nil && !answered(err))
	})
}

// retire must be called with the lock held.
func (p *Pool) retire(name string, c *connection) {
	c.retired = true
	if p.open[name] == c {
		delete(p.open, name)
	}
}

// expire closes a connection that was not used since its timer was started.
func (p *Pool) expire(name string, c *connection) {
	p.mu.Lock()
	unused := c.calls == 0 && !c.retired && !p.closed
	if unused {
		p.retire(name, c)
		p.ending.Go(func() { p.end(c) })
	}
	p.mu.Unlock()
}

// end closes a connection once it is established.
func (p *Pool) end(c *connection) {
	<-c.ready
	p.mu.Lock()
	first := p.all[c]
	delete(p.all, c)
	p.mu.Unlock()
	if first && c.session != nil {
		// Closing fails if the server has died already; nothing is left to do then.
		if err := c.session.Close(); err != nil {
			p.options.Log.Debug("mcp server closed", "error", c.said.mask(err.Error()))
		}
	}
}

// Close closes all servers. Calls in progress fail.
func (p *Pool) Close() error {
	p.mu.Lock()
	p.closed = true
	rest := slices.Collect(maps.Keys(p.all))
	for name, c := range p.open {
		p.retire(name, c)
		if c.idle != nil {
			c.idle.Stop()
		}
	}
	p.mu.Unlock()
	for _, c := range rest {
		p.end(c)
	}
	p.ending.Wait()
	return nil
}
