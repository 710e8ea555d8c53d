package neo4jtest

import (
	"bytes"
	"encoding/binary"
	"io"
	"net"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
)

// A Cluster shows one Neo4j server to drivers as a cluster of several: each Member is an address of
// its own that answers ROUTE, and refuses transactions in write mode unless it is the leader. All
// members have the same data at once, so what a follower lacks for a moment cannot be tried;
// whether a read names the bookmarks it needs can.
type Cluster struct {
	Members []*Member

	server  string
	mu      sync.Mutex
	leader  *Member // nil during an election
	readers []*Member
}

// A Member is one server of a Cluster.
type Member struct {
	of       *Cluster
	listener net.Listener
	address  string
	calls    []Call            // guarded by of.mu
	open     map[net.Conn]bool // of clients; guarded by of.mu
	refusal  string            // code of the error with which it refuses writes though it leads; guarded by of.mu
	cut      bool              // takes no connections; guarded by of.mu
}

// A Call is a transaction that a member was asked to begin.
type Call struct {
	Write     bool
	Text      string   // of the message: RUN or BEGIN, with the name of the query in its metadata
	Bookmarks []string // that it is to wait for
	Refused   bool
}

// NewCluster starts so many members in front of the server at a URI. The first is the leader, the
// others answer reads; one alone does both.
func NewCluster(t testing.TB, uri string, members int) *Cluster {
	t.Helper()
	u, err := url.Parse(uri)
	if err != nil {
		t.Fatal(err)
	}
	c := &Cluster{server: u.Host}
	for range members {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		c.Members = append(c.Members, &Member{of: c, listener: listener, address: listener.Addr().String(), open: map[net.Conn]bool{}})
	}
	c.Lead(0)
	for _, m := range c.Members {
		t.Cleanup(func() { _ = m.listener.Close(); m.Cut() })
		go m.serve()
	}
	return c
}

// URI returns the address of the cluster, which is that of its last member.
func (c *Cluster) URI() string { return "neo4j://" + c.Members[len(c.Members)-1].address }

// Lead makes a member the leader and all others followers; -1: there is no leader.
func (c *Cluster) Lead(member int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.leader, c.readers = nil, nil
	for i, m := range c.Members {
		if i == member {
			c.leader = m
		}
		if i != member || len(c.Members) == 1 {
			c.readers = append(c.readers, m)
		}
	}
}

// Address returns host and port of the member.
func (m *Member) Address() string { return m.address }

// Cut breaks all connections of the member and takes no others. The routing tables still name it,
// as they do until the cluster notices.
func (m *Member) Cut() {
	m.of.mu.Lock()
	defer m.of.mu.Unlock()
	m.cut = true
	for c := range m.open {
		_ = c.Close()
	}
}

// Calls returns the transactions that the member was asked for since the last call of Calls.
func (m *Member) Calls() []Call {
	m.of.mu.Lock()
	defer m.of.mu.Unlock()
	calls := m.calls
	m.calls = nil
	return calls
}

func (m *Member) serve() {
	for {
		client, err := m.listener.Accept()
		if err != nil {
			return
		}
		server, err := net.Dial("tcp", m.of.server)
		if err != nil {
			_ = client.Close()
			continue
		}
		m.of.mu.Lock()
		m.open[client] = true
		cut := m.cut
		m.of.mu.Unlock()
		if cut {
			_ = client.Close()
		}
		c := &conversation{of: m, client: client, server: server}
		go c.run()
	}
}

// Messages of Bolt that a member answers itself, or judges by.
const (
	boltReset  = 0x0F
	boltRun    = 0x10
	boltBegin  = 0x11
	boltCommit = 0x12
	boltRoll   = 0x13
	boltRoute  = 0x66
)

// A conversation is one connection of a client.
type conversation struct {
	of             *Member
	client, server net.Conn
	writing        sync.Mutex // of messages to the client
	failed         bool       // what comes is ignored until the client resets
	begun          bool       // in an explicit transaction
}

func (c *conversation) run() {
	defer func() {
		_, _ = c.client.Close(), c.server.Close()
		c.of.of.mu.Lock()
		delete(c.of.open, c.client)
		c.of.of.mu.Unlock()
	}()
	// Bolt 5.4 is the only version offered, so that the handshake has one length.
	if _, err := io.ReadFull(c.client, make([]byte, 20)); err != nil {
		return
	}
	if _, err := c.server.Write([]byte{0x60, 0x60, 0xB0, 0x17, 0, 0, 4, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}); err != nil {
		return
	}
	if _, err := io.CopyN(c.client, c.server, 4); err != nil {
		return
	}
	go func() {
		defer func() { _, _ = c.client.Close(), c.server.Close() }()
		for {
			message, err := readMessage(c.server)
			if err != nil || c.tell(message) != nil {
				return
			}
		}
	}()
	for {
		message, err := readMessage(c.client)
		if err != nil || c.take(message) != nil {
			return
		}
	}
}

// take answers a client's message, or passes it on.
func (c *conversation) take(message []byte) error {
	if len(message) < 2 {
		return writeMessage(c.server, message)
	}
	switch tag := message[1]; {
	case tag == boltReset:
		c.failed, c.begun = false, false
	case c.failed:
		return c.tell([]byte{0xB0, 0x7E}) // IGNORED
	case tag == boltRoute:
		return c.tell(c.of.of.table())
	case tag == boltCommit, tag == boltRoll:
		c.begun = false
	case tag == boltBegin, tag == boltRun && !c.begun:
		if code := c.of.refuses(message); code != "" {
			c.failed = true
			return c.tell(packed(structure{0x7F, []any{pairs{{"code", code}, {"message", "this member takes no writes"}}}}))
		}
		c.begun = tag == boltBegin
	}
	return writeMessage(c.server, message)
}

// refuses notes the call, and returns the code of the error if the member must not begin it.
func (m *Member) refuses(message []byte) string {
	m.of.mu.Lock()
	defer m.of.mu.Unlock()
	call := Call{Write: !bytes.Contains(message, []byte("\x84mode\x81r")), Text: string(message), Bookmarks: bookmarksIn(message)}
	var code string
	switch {
	case call.Write && m.of.leader != m:
		code = "Neo.ClientError.Cluster.NotALeader"
	case call.Write && !bytes.Contains(message, []byte("migrations")): // a read that goes to the leader
		code = m.refusal
	}
	call.Refused = code != ""
	m.calls = append(m.calls, call)
	return code
}

// Refuse has the member answer writes with an error, also as the leader; "" ends it.
func (m *Member) Refuse(code string) {
	m.of.mu.Lock()
	defer m.of.mu.Unlock()
	m.refusal = code
}

// bookmarksIn are the texts that begin as bookmarks do.
func bookmarksIn(message []byte) (list []string) {
	for _, part := range strings.Split(string(message), "FB:")[1:] {
		end := strings.IndexFunc(part, func(r rune) bool {
			return !strings.ContainsRune("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=", r)
		})
		if end < 0 {
			end = len(part)
		}
		list = append(list, "FB:"+part[:end])
	}
	return list
}

// table is the answer to ROUTE.
func (c *Cluster) table() []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	addresses := func(members []*Member) []any {
		list := []any{}
		for _, m := range members {
			list = append(list, m.address)
		}
		return list
	}
	writers := slices.DeleteFunc([]*Member{c.leader}, func(m *Member) bool { return m == nil })
	server := func(role string, members []*Member) any {
		return pairs{{"addresses", addresses(members)}, {"role", role}}
	}
	return packed(structure{0x70, []any{pairs{{"rt", pairs{{"ttl", 300}, {"db", "neo4j"}, {"servers", []any{
		server("WRITE", writers), server("READ", c.readers), server("ROUTE", c.Members)}}}}}}})
}

func (c *conversation) tell(message []byte) error {
	c.writing.Lock()
	defer c.writing.Unlock()
	return writeMessage(c.client, message)
}

// A message is chunks, each with its length before it, and an empty chunk.
func readMessage(from io.Reader) ([]byte, error) {
	var message []byte
	for {
		var length [2]byte
		if _, err := io.ReadFull(from, length[:]); err != nil {
			return nil, err
		}
		n := int(binary.BigEndian.Uint16(length[:]))
		if n == 0 {
			if message == nil {
				continue // a keep-alive
			}
			return message, nil
		}
		chunk := make([]byte, n)
		if _, err := io.ReadFull(from, chunk); err != nil {
			return nil, err
		}
		message = append(message, chunk...)
	}
}

func writeMessage(to io.Writer, message []byte) error {
	const longest = 0xFFFF
	var out []byte
	for chunk := range slices.Chunk(message, longest) {
		out = append(binary.BigEndian.AppendUint16(out, uint16(len(chunk))), chunk...)
	}
	_, err := to.Write(append(out, 0, 0))
	return err
}

// What packed packs, in the format PackStream.
type (
	structure struct {
		tag    byte
		fields []any
	}
	pairs []pair // a map in order
	pair  struct {
		key   string
		value any
	}
)

// packed packs a value. Texts, lists and maps may have up to 255, 15 and 15 parts.
func packed(v any) []byte {
	switch v := v.(type) {
	case string:
		return append([]byte{0xD0, byte(len(v))}, v...)
	case int:
		return binary.BigEndian.AppendUint16([]byte{0xC9}, uint16(v))
	case []any:
		out := []byte{0x90 | byte(len(v))}
		for _, part := range v {
			out = append(out, packed(part)...)
		}
		return out
	case pairs:
		out := []byte{0xA0 | byte(len(v))}
		for _, p := range v {
			out = append(append(out, packed(p.key)...), packed(p.value)...)
		}
		return out
	case structure:
		out := []byte{0xB0 | byte(len(v.fields)), v.tag}
		for _, field := range v.fields {
			out = append(out, packed(field)...)
		}
		return out
	}
	panic("packed: no such type")
}
