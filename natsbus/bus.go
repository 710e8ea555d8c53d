package natsbus

import (
	"encoding/base64"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/stepgraph/stepgraph/engine"
)

// Options say where NATS is and how to log in. The zero value of each but URL works.
type Options struct {
	URL         string // nats://HOST:PORT, tls://HOST:PORT; several with commas
	Subject     string // DefaultSubject; what all subjects begin with
	Credentials string // file with a user's JWT and key
	Token       string // or a user and password in URL
	CA          string // file with the certificates that the server's is checked against
	Cert, Key   string // files of this client's certificate
	Name        string // of the connection, for the server's operators
	Log         *slog.Logger
}

// DefaultSubject is what all subjects begin with unless Options say otherwise.
const DefaultSubject = "stepgraph"

// A Bus is an engine.Relay over NATS.
type Bus struct {
	o                       Options
	conn                    *nats.Conn
	sent, received, dropped atomic.Uint64

	mu        sync.Mutex
	fault     string
	listeners map[*listener]bool
}

type listener struct {
	sub    *nats.Subscription
	missed func()
}

// Pending notices of one topic that a listener has not taken yet, before some are dropped.
const (
	pendingMessages = 4096
	pendingBytes    = 8 << 20
)

// Open returns a Bus. It does not wait for the server: without one, Send drops and the connection
// is tried again and again. An error means that the options cannot be used.
func Open(o Options) (*Bus, error) {
	if o.Subject == "" {
		o.Subject = DefaultSubject
	}
	if strings.ContainsAny(o.Subject, " \t\r\n*>") || strings.HasPrefix(o.Subject, ".") || strings.HasSuffix(o.Subject, ".") || strings.Contains(o.Subject, "..") {
		return nil, fmt.Errorf("subject %q: want words with dots between them, without blanks, * and >", o.Subject)
	}
	for one := range strings.SplitSeq(o.URL, ",") {
		u, err := url.Parse(strings.TrimSpace(one))
		if err != nil || u.Host == "" {
			return nil, fmt.Errorf("address %q: want nats://HOST:PORT or tls://HOST:PORT", Hidden(one))
		}
		switch u.Scheme {
		case "nats", "tls", "ws", "wss":
		default:
			return nil, fmt.Errorf("address %q: want nats://HOST:PORT or tls://HOST:PORT", Hidden(one))
		}
	}
	if o.Log == nil {
		o.Log = slog.Default()
	}
	b := &Bus{o: o, fault: "never connected", listeners: map[*listener]bool{}}
	var err error
	if b.conn, err = nats.Connect(o.URL, b.settings()...); err != nil {
		return nil, fmt.Errorf("nats: %w", hideIn(err, o))
	}
	b.connected(b.conn)
	return b, nil
}

func (b *Bus) settings() []nats.Option {
	list := []nats.Option{
		nats.Name(b.o.Name), nats.NoEcho(), nats.RetryOnFailedConnect(true), nats.MaxReconnects(-1),
		nats.IgnoreAuthErrorAbort(), // credentials may be mended while the engine runs
		nats.ReconnectWait(500 * time.Millisecond), nats.ReconnectJitter(250*time.Millisecond, 250*time.Millisecond),
		nats.Timeout(2 * time.Second), nats.PingInterval(5 * time.Second), nats.MaxPingsOutstanding(2),
		nats.ReconnectBufSize(-1), // a notice that is late is of no use: watchers have read the store
		nats.ConnectHandler(b.connected), nats.ReconnectHandler(b.connected),
		nats.DisconnectErrHandler(b.disconnected),
		nats.ReconnectErrHandler(b.disconnected),
		nats.ErrorHandler(func(_ *nats.Conn, sub *nats.Subscription, err error) { b.failed(sub, err) }),
	}
	if b.o.Credentials != "" {
		list = append(list, nats.UserCredentials(b.o.Credentials))
	}
	if b.o.Token != "" {
		list = append(list, nats.Token(b.o.Token))
	}
	if b.o.CA != "" {
		list = append(list, nats.RootCAs(b.o.CA))
	}
	if b.o.Cert != "" {
		list = append(list, nats.ClientCert(b.o.Cert, b.o.Key))
	}
	return list
}

// connected notes that the server answers. What was sent meanwhile is lost, so all listeners are notified.
func (b *Bus) connected(c *nats.Conn) {
	if !c.IsConnected() {
		return
	}
	b.mu.Lock()
	was := b.fault
	b.fault = ""
	list := make([]*listener, 0, len(b.listeners))
	for l := range b.listeners {
		list = append(list, l)
	}
	b.mu.Unlock()
	if was != "" {
		b.o.Log.Info("connected to nats", "address", Hidden(c.ConnectedUrl()))
	}
	for _, l := range list {
		l.missed()
	}
}

func (b *Bus) disconnected(c *nats.Conn, err error) {
	if err == nil || c.IsClosed() {
		return
	}
	b.mu.Lock()
	first := b.fault == "" || b.fault == "never connected"
	b.fault = hideIn(err, b.o).Error()
	b.mu.Unlock()
	if first {
		b.o.Log.Warn("nats is away; events of other engines come from the store meanwhile", "error", hideIn(err, b.o))
	}
}

// failed handles errors that the connection reports by itself: mostly a listener that is too slow.
func (b *Bus) failed(sub *nats.Subscription, err error) {
	if !errors.Is(err, nats.ErrSlowConsumer) {
		b.o.Log.Warn("nats", "error", hideIn(err, b.o))
		return
	}
	b.dropped.Add(1)
	b.mu.Lock()
	var missed func()
	for l := range b.listeners {
		if l.sub == sub {
			missed = l.missed
		}
	}
	b.mu.Unlock()
	if missed != nil {
		missed()
	}
}

// subject is the NATS subject of a topic. A session's id may hold any text, a token of a subject
// may not, so the topic is in base64.
func (b *Bus) subject(topic string) string {
	return b.o.Subject + "." + base64.RawURLEncoding.EncodeToString([]byte(topic))
}

// Send implements engine.Relay.
func (b *Bus) Send(topic string, data []byte) {
	if err := b.conn.Publish(b.subject(topic), data); err != nil {
		b.dropped.Add(1)
		return
	}
	b.sent.Add(1)
}

// Listen implements engine.Relay.
func (b *Bus) Listen(topic string, hear func(data []byte), missed func()) (stop func()) {
	sub, err := b.conn.Subscribe(b.subject(topic), func(m *nats.Msg) {
		b.received.Add(1)
		hear(m.Data)
	})
	if err != nil { // the connection is closed
		return func() {}
	}
	_ = sub.SetPendingLimits(pendingMessages, pendingBytes) // fails only when the connection was closed
	l := &listener{sub, missed}
	b.mu.Lock()
	b.listeners[l] = true
	b.mu.Unlock()
	return func() {
		b.mu.Lock()
		delete(b.listeners, l)
		b.mu.Unlock()
		_ = sub.Unsubscribe() // fails only when the connection was closed
	}
}

// State implements engine.Relay.
func (b *Bus) State() engine.RelayState {
	b.mu.Lock()
	fault := b.fault
	b.mu.Unlock()
	return engine.RelayState{Kind: "nats", Address: Hidden(b.o.URL), Connected: b.conn.IsConnected(), Fault: fault,
		Sent: b.sent.Load(), Received: b.received.Load(), Dropped: b.dropped.Load()}
}

// Close sends what is buffered and ends the connection.
func (b *Bus) Close() error {
	if b.conn.IsConnected() {
		_ = b.conn.FlushTimeout(time.Second) // what is lost is read from the store
	}
	b.conn.Close()
	return nil
}

// Hidden returns addresses without the users and passwords in them.
func Hidden(addresses string) string {
	var list []string
	for one := range strings.SplitSeq(addresses, ",") {
		one = strings.TrimSpace(one)
		scheme, rest, found := strings.Cut(one, "://")
		if !found {
			scheme, rest = "nats", one
		}
		if at := strings.LastIndex(rest, "@"); at >= 0 {
			one = scheme + "://…@" + rest[at+1:]
		}
		list = append(list, one)
	}
	return strings.Join(list, ",")
}

// hideIn takes the secrets of the options out of an error.
func hideIn(err error, o Options) error {
	text := err.Error()
	for one := range strings.SplitSeq(o.URL, ",") {
		text = strings.ReplaceAll(text, strings.TrimSpace(one), Hidden(one))
	}
	if o.Token != "" {
		text = strings.ReplaceAll(text, o.Token, "…")
	}
	return errors.New(text)
}
