package faultlane

import (
	"bytes"
	"net"
	"net/url"
	"sync"
	"testing"
)

// A proxy is the network between one engine and Neo4j. It can break all connections, let
// nothing through for a while, or break one connection at the moment of a commit.
type proxy struct {
	listener net.Listener
	server   string

	mu    sync.Mutex
	conns map[net.Conn]bool
	open  chan struct{} // closed while bytes may pass
	cut   cut
}

// A cut says where the next connection that commits breaks.
type cut int

const (
	nowhere cut = iota
	before      // the commit does not reach the server
	after       // it does, and its answer does not come back
)

// How Bolt shows a commit: COMMIT is a message of its own, a statement outside of an
// explicit transaction names its time limit and commits with its PULL, and only the answer
// to a commit brings a bookmark.
var (
	commitMessage = []byte{0x00, 0x02, 0xB0, 0x12, 0x00, 0x00}
	pullMessage   = []byte{0xB1, 0x3F}
	limitWord     = []byte("tx_timeout")
	bookmarkWord  = []byte("bookmark")
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
	p := &proxy{listener: listener, server: u.Host, conns: map[net.Conn]bool{}, open: make(chan struct{})}
	close(p.open)
	t.Cleanup(func() { _ = listener.Close(); p.heal(); p.breakAll() })
	go p.serve()
	return p
}

func (p *proxy) uri() string { return "bolt://" + p.listener.Addr().String() }

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
		p.conns[client], p.conns[server] = true, true
		p.mu.Unlock()
		go p.pass(client, server, func(b []byte) bool {
			alone := bytes.Contains(b, pullMessage) && bytes.Contains(b, limitWord)
			return (alone || bytes.Contains(b, commitMessage)) && p.falls(before)
		})
		go p.pass(server, client, func(b []byte) bool { return bytes.Contains(b, bookmarkWord) && p.falls(after) })
	}
}

// pass copies one direction until the connection ends or breaks.
func (p *proxy) pass(from, to net.Conn, breaks func([]byte) bool) {
	defer func() {
		_, _ = from.Close(), to.Close()
		p.mu.Lock()
		delete(p.conns, from)
		p.mu.Unlock()
	}()
	buffer := make([]byte, 1<<20)
	for {
		n, err := from.Read(buffer)
		if n > 0 {
			<-p.gate()
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

func (p *proxy) gate() chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.open
}

func (p *proxy) falls(here cut) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cut != here {
		return false
	}
	p.cut = nowhere
	return true
}

// next sets where the next connection that commits breaks.
func (p *proxy) next(c cut) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cut = c
}

// pending tells whether the cut that was set has not happened yet.
func (p *proxy) pending() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.cut != nowhere
}

// breakAll breaks every connection there is.
func (p *proxy) breakAll() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for c := range p.conns {
		_ = c.Close()
	}
}

// stall lets nothing through any more, and breaks nothing, until heal.
func (p *proxy) stall() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.open = make(chan struct{})
}

func (p *proxy) heal() {
	p.mu.Lock()
	defer p.mu.Unlock()
	select {
	case <-p.open:
	default:
		close(p.open)
	}
}
