package neo4jtest

import (
	"bytes"
	"net"
	"net/url"
	"sync"
	"testing"
)

// A Proxy is the network between a client and a Neo4j server. It can break connections, hold
// bytes back, break one connection at the moment of a commit, and record what clients send.
type Proxy struct {
	listener net.Listener
	server   string

	mu    sync.Mutex
	links map[*link]bool
	open  chan struct{} // closed while bytes may pass
	cut   Cut
	sent  []*link // all connections, in the order in which they were made; see Record
	keeps bool
	down  bool // takes no connections
}

// A Cut says where the next connection that commits breaks.
type Cut int

const (
	NoCut        Cut = iota
	BeforeCommit     // the commit does not reach the server
	AfterCommit      // the server commits, and its answer does not reach the client
)

// How Bolt shows a commit: COMMIT is a message of its own (B0 12, with its length before it and
// an end mark behind it). A statement outside of an explicit transaction names its time limit
// and commits with its PULL. Only the answer to a commit contains a bookmark.
var (
	commitMessage = []byte{0x00, 0x02, 0xB0, 0x12, 0x00, 0x00}
	pullMessage   = []byte{0xB1, 0x3F}
	timeLimitKey  = []byte("tx_timeout")
	bookmarkKey   = []byte("bookmark")
)

// A link is one connection of a client and the connection to the server that belongs to it.
type link struct {
	proxy          *Proxy
	client, server net.Conn
	silent         bool   // guarded by proxy.mu
	sent           []byte // by the client; guarded by proxy.mu
}

// NewProxy starts a proxy in front of the server at a URI. It ends with the test.
func NewProxy(t testing.TB, uri string) *Proxy {
	t.Helper()
	u, err := url.Parse(uri)
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &Proxy{listener: listener, server: u.Host, links: map[*link]bool{}, open: make(chan struct{})}
	close(p.open)
	t.Cleanup(func() { _ = listener.Close(); p.Resume(); p.BreakAll() })
	go p.serve()
	return p
}

// URI returns the address under which clients reach the server through the proxy.
func (p *Proxy) URI() string { return "bolt://" + p.listener.Addr().String() }

// CutNext sets where the next connection that commits breaks. Only one connection breaks.
func (p *Proxy) CutNext(c Cut) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cut = c
}

// Pending reports whether the cut that was set has not happened yet.
func (p *Proxy) Pending() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.cut != NoCut
}

// BreakAll closes every open connection.
func (p *Proxy) BreakAll() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for l := range p.links {
		l.close()
	}
}

// Down breaks all connections and takes no others, as a server that was killed, until Up.
func (p *Proxy) Down() {
	p.mu.Lock()
	p.down = true
	p.mu.Unlock()
	p.BreakAll()
}

// Up ends a Down.
func (p *Proxy) Up() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.down = false
}

// Pause holds all bytes back and closes nothing, until Resume.
func (p *Proxy) Pause() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.open = make(chan struct{})
}

// Resume ends a Pause.
func (p *Proxy) Resume() {
	p.mu.Lock()
	defer p.mu.Unlock()
	select {
	case <-p.open:
	default:
		close(p.open)
	}
}

// Silence drops what is sent over the connections that are open now, in both directions, and
// closes none. Later connections work.
func (p *Proxy) Silence() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for l := range p.links {
		l.silent = true
	}
}

// Record keeps what clients send over connections made from now on.
func (p *Proxy) Record() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.keeps = true
}

// Recorded returns what clients sent, a text for each recorded connection.
func (p *Proxy) Recorded() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	var all []string
	for _, l := range p.sent {
		all = append(all, string(l.sent))
	}
	return all
}

func (p *Proxy) serve() {
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
		l := &link{proxy: p, client: client, server: server}
		p.mu.Lock()
		if p.down {
			p.mu.Unlock()
			l.close()
			continue
		}
		p.links[l] = true
		if p.keeps {
			p.sent = append(p.sent, l)
		}
		p.mu.Unlock()
		go l.copy(client, server, func(b []byte) bool {
			alone := bytes.Contains(b, pullMessage) && bytes.Contains(b, timeLimitKey)
			return (alone || bytes.Contains(b, commitMessage)) && p.cuts(BeforeCommit)
		})
		go l.copy(server, client, func(b []byte) bool { return bytes.Contains(b, bookmarkKey) && p.cuts(AfterCommit) })
	}
}

// cuts reports whether a connection breaks here, and clears the cut if so.
func (p *Proxy) cuts(here Cut) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cut != here {
		return false
	}
	p.cut = NoCut
	return true
}

func (l *link) close() { _, _ = l.client.Close(), l.server.Close() }

// copy forwards one direction until the connection ends or breaks.
func (l *link) copy(from, to net.Conn, breaks func([]byte) bool) {
	defer func() {
		l.close()
		l.proxy.mu.Lock()
		delete(l.proxy.links, l)
		l.proxy.mu.Unlock()
	}()
	buffer := make([]byte, 1<<20)
	for {
		n, err := from.Read(buffer)
		if n > 0 && l.passes(from, buffer[:n]) {
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

// passes waits while the proxy is paused, records what a client sends, and reports whether the
// bytes are to be forwarded.
func (l *link) passes(from net.Conn, b []byte) bool {
	l.proxy.mu.Lock()
	open := l.proxy.open
	l.proxy.mu.Unlock()
	<-open
	l.proxy.mu.Lock()
	defer l.proxy.mu.Unlock()
	if l.proxy.keeps && from == l.client {
		l.sent = append(l.sent, b...)
	}
	return !l.silent
}
