package cypher_test

import (
	"bytes"
	"net"
	"net/url"
	"sync"
	"sync/atomic"
	"testing"
)

// A proxy stands between a store and the server and knows enough of Bolt to break a
// connection at the one moment that matters.
type proxy struct {
	listener net.Listener
	server   string

	mu     sync.Mutex
	cut    cut
	silent *atomic.Bool // of the connections made since the last silence
}

// A cut says where the next connection breaks.
type cut int

const (
	never  cut = iota
	before     // the commit does not reach the server
	after      // it does, and its answer does not come back
)

// The signs by which the proxy knows the moment: COMMIT is a message of its own, B0 12
// with its length before and its end after it; a statement that is a transaction of its
// own says how long that may take, and commits with its PULL; the answer to either brings a bookmark, and nothing else does.
var (
	commitMessage = []byte{0x00, 0x02, 0xB0, 0x12, 0x00, 0x00}
	pullMessage   = []byte{0xB1, 0x3F}
	beginSign     = []byte("tx_timeout")
	committedSign = []byte("bookmark")
)

func newProxy(t *testing.T, uri string) *proxy {
	t.Helper()
	u, err := url.Parse(uri)
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{listener: listener, server: u.Host, silent: &atomic.Bool{}}
	t.Cleanup(func() { _ = listener.Close() })
	go p.serve()
	return p
}

func (p *proxy) uri() string { return "bolt://" + p.listener.Addr().String() }

// next sets where the next connection that commits breaks; once.
func (p *proxy) next(c cut) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cut = c
}

// breaks tells whether the connection breaks here, and forgets it.
func (p *proxy) breaks(here cut) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cut != here {
		return false
	}
	p.cut = never
	return true
}

// silence lets nothing through on the connections there are, and closes none; new ones work.
func (p *proxy) silence() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.silent.Store(true)
	p.silent = &atomic.Bool{}
}

// pending tells whether the cut that was set has not happened yet.
func (p *proxy) pending() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.cut != never
}

func (p *proxy) serve() {
	for {
		client, err := p.listener.Accept()
		if err != nil {
			return
		}
		server, err := net.Dial("tcp", p.server)
		if err != nil {
			_ = client.Close()
			continue
		}
		p.mu.Lock()
		silent := p.silent
		p.mu.Unlock()
		go p.pass(client, server, silent, func(b []byte) bool {
			alone := bytes.Contains(b, pullMessage) && bytes.Contains(b, beginSign)
			return (alone || bytes.Contains(b, commitMessage)) && p.breaks(before)
		})
		go p.pass(server, client, silent, func(b []byte) bool { return bytes.Contains(b, committedSign) && p.breaks(after) })
	}
}

// pass copies from one side to the other until a read in which the connection breaks.
func (p *proxy) pass(from, to net.Conn, silent *atomic.Bool, breaks func([]byte) bool) {
	defer func() { _, _ = from.Close(), to.Close() }()
	buffer := make([]byte, 1<<20)
	for {
		n, err := from.Read(buffer)
		if n > 0 && !silent.Load() {
			if breaks(buffer[:n]) {
				return
			}
			if _, err := to.Write(buffer[:n]); err != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}
