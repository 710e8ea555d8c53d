package natsbus_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/memory"
	"github.com/stepgraph/stepgraph/natsbus"
)

// serve starts a NATS server; port -1 takes a free one.
func serve(t *testing.T, o server.Options) *server.Server {
	t.Helper()
	o.Host, o.NoSigs, o.NoLog = "127.0.0.1", true, true
	s, err := server.NewServer(&o)
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	if !s.ReadyForConnections(10 * time.Second) {
		t.Fatal("the NATS server does not come up")
	}
	t.Cleanup(func() { s.Shutdown(); s.WaitForShutdown() })
	return s
}

func open(t *testing.T, o natsbus.Options) *natsbus.Bus {
	t.Helper()
	b, err := natsbus.Open(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Close() })
	return b
}

func until(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); !ok(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("not within 20 s: %s", what)
		}
	}
}

// inbox collects what a listener hears.
type inbox struct {
	mu     sync.Mutex
	list   []string
	missed atomic.Int64
}

func (i *inbox) hear(data []byte) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.list = append(i.list, string(data))
}

func (i *inbox) all() string {
	i.mu.Lock()
	defer i.mu.Unlock()
	return strings.Join(i.list, " ")
}

// Topics may hold any text; each is heard by itself, in order, and not by the one that sent it.
func TestTopics(t *testing.T) {
	s := serve(t, server.Options{Port: -1})
	before := s.NumSubscriptions() // the server's own
	a, b := open(t, natsbus.Options{URL: s.ClientURL()}), open(t, natsbus.Options{URL: s.ClientURL()})
	other := open(t, natsbus.Options{URL: s.ClientURL(), Subject: "another.store"})
	topics := []string{"inbox", "session.a b", "session.a", "session.a.>", "session.*", "session.größe/1/2"}
	heard := map[string]*inbox{}
	for _, topic := range topics {
		heard[topic] = &inbox{}
		stop := b.Listen(topic, heard[topic].hear, func() {})
		defer stop()
	}
	own, strange := &inbox{}, &inbox{}
	defer a.Listen("inbox", own.hear, func() {})()
	defer other.Listen("inbox", strange.hear, func() {})()
	until(t, "listeners are known", func() bool { return s.NumSubscriptions() >= before+uint32(len(topics)+2) })
	for n := range 3 {
		for _, topic := range topics {
			a.Send(topic, fmt.Append(nil, topic, "#", n))
		}
	}
	for _, topic := range topics {
		want := fmt.Sprintf("%s#0 %s#1 %s#2", topic, topic, topic)
		until(t, "all is heard", func() bool { return len(heard[topic].all()) >= len(want) })
		if got := heard[topic].all(); got != want {
			t.Errorf("topic %q: heard %q, want %q", topic, got, want)
		}
	}
	if own.all() != "" || strange.all() != "" {
		t.Errorf("heard by its sender: %q, by another store: %q", own.all(), strange.all())
	}
	if st := b.State(); !st.Connected || st.Received != uint64(3*len(topics)) || st.Kind != "nats" {
		t.Errorf("state %+v", st)
	}
}

// A server that is not there yet, or goes away, stops nobody. When it is back, listeners are told that they may have missed something.
func TestServerAway(t *testing.T) {
	port := freePort(t)
	address := fmt.Sprintf("nats://127.0.0.1:%d", port)
	a, b := open(t, natsbus.Options{URL: address}), open(t, natsbus.Options{URL: address})
	in := &inbox{}
	defer b.Listen("x", in.hear, func() { in.missed.Add(1) })()
	a.Send("x", []byte("lost"))
	if st := a.State(); st.Connected || st.Dropped != 1 || st.Fault == "" {
		t.Errorf("without a server: %+v", st)
	}
	for round := range 2 {
		s := serve(t, server.Options{Port: port})
		until(t, "both are connected", func() bool { return a.State().Connected && b.State().Connected })
		until(t, "the listener is told", func() bool { return in.missed.Load() > int64(round) })
		until(t, "a notice is heard", func() bool {
			a.Send("x", []byte(fmt.Sprint("round", round)))
			return strings.Contains(in.all(), fmt.Sprint("round", round))
		})
		s.Shutdown()
		s.WaitForShutdown()
		until(t, "the loss is noticed", func() bool { return !a.State().Connected && a.State().Fault != "" })
		before := a.State().Dropped
		a.Send("x", []byte("lost"))
		if st := a.State(); st.Dropped != before+1 {
			t.Errorf("a notice without a server was not counted: %+v", st)
		}
	}
	if strings.Contains(in.all(), "lost") {
		t.Errorf("a notice was kept for later: %s", in.all())
	}
}

func freePort(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	return l.Addr().(*net.TCPAddr).Port
}

// Tokens, passwords and certificates are used, and never shown.
func TestLogin(t *testing.T) {
	const secret = "geheim-4711"
	t.Run("token", func(t *testing.T) {
		s := serve(t, server.Options{Port: -1, Authorization: secret})
		b := open(t, natsbus.Options{URL: s.ClientURL(), Token: secret})
		until(t, "it is connected", func() bool { return b.State().Connected })
		wrong := open(t, natsbus.Options{URL: s.ClientURL(), Token: secret + "x"})
		until(t, "it says why not", func() bool { return strings.Contains(strings.ToLower(wrong.State().Fault), "authorization") })
		if st := fmt.Sprint(wrong.State()); strings.Contains(st, secret) {
			t.Errorf("state shows the token: %s", st)
		}
	})
	t.Run("password", func(t *testing.T) {
		s := serve(t, server.Options{Port: -1, Username: "ada", Password: secret})
		b := open(t, natsbus.Options{URL: fmt.Sprintf("nats://ada:%s@%s", secret, s.Addr())})
		until(t, "it is connected", func() bool { return b.State().Connected })
		if st := fmt.Sprint(b.State()); strings.Contains(st, secret) {
			t.Errorf("state shows the password: %s", st)
		}
	})
	t.Run("tls", func(t *testing.T) {
		pair, ca := certificate(t)
		s := serve(t, server.Options{Port: -1, TLSConfig: &tls.Config{Certificates: []tls.Certificate{pair}}})
		b := open(t, natsbus.Options{URL: "tls://" + s.Addr().String(), CA: ca})
		until(t, "it is connected", func() bool { return b.State().Connected })
		strange := open(t, natsbus.Options{URL: "tls://" + s.Addr().String()})
		until(t, "it says why not", func() bool { return strings.Contains(strange.State().Fault, "certificate") })
	})
	for _, o := range []natsbus.Options{
		{URL: "http://ada:" + secret + "@h"}, {URL: "nats://ada:" + secret + "@%zz"}, {URL: ""}, {URL: "nats://h", Subject: "a.>"}, {URL: "nats://h", Subject: ".a"},
		{URL: "nats://127.0.0.1:1", CA: "/there/is/none.pem"}, {URL: "nats://127.0.0.1:1", Cert: "/there/is/none.pem", Key: "/there/is/none.key"},
	} {
		b, err := natsbus.Open(o)
		if err == nil {
			_ = b.Close()
			t.Errorf("%+v was taken", o)
		} else if strings.Contains(err.Error(), secret) {
			t.Errorf("the error shows the password: %v", err)
		}
	}
}

// certificate makes a certificate for 127.0.0.1 that signs itself, and writes it to a file.
func certificate(t *testing.T) (tls.Certificate, string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "nats"}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600); err != nil {
		t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, file
}

// Two engines on one store: who watches at one is told what the other does, well before the
// history would be read, also while NATS goes away and comes back.
func TestEngines(t *testing.T) {
	port := freePort(t)
	s := serve(t, server.Options{Port: port})
	before := s.NumSubscriptions()
	store := memory.New(memory.Options{})
	step := make(chan struct{})
	start := func(name string) *engine.Engine {
		r := engine.NewRegistry()
		r.Add(engine.Spec{Name: "work", Effects: true, Function: function.FunctionFunc(func(ctx context.Context, _ json.RawMessage) (json.RawMessage, error) {
			select {
			case <-step:
				return json.RawMessage(`{}`), nil
			case <-ctx.Done():
				return nil, context.Cause(ctx)
			}
		})})
		e := engine.New(store, r, engine.Options{Name: name, Relay: open(t, natsbus.Options{URL: s.ClientURL(), Name: name})})
		ctx, cancel := context.WithCancel(context.Background())
		done := make(chan error, 1)
		go func() { done <- e.Run(ctx) }()
		t.Cleanup(func() {
			cancel()
			if err := <-done; err != nil {
				t.Error(err)
			}
		})
		return e
	}
	a, b := start("a"), start("b")
	w := &engine.Workflow{ID: "w"}
	for i := range 6 {
		w.Steps = append(w.Steps, engine.Step{ID: fmt.Sprint("s", i), Function: "work"})
		if i > 0 {
			w.Paths = append(w.Paths, engine.Path{Kind: engine.Next, Source: fmt.Sprint("s", i-1), Target: fmt.Sprint("s", i)})
		}
	}
	if _, err := a.Put(t.Context(), w, engine.PutOptions{Force: true}); err != nil {
		t.Fatal(err)
	}
	if _, err := a.Start(t.Context(), engine.StartRequest{Workflow: "w", Entry: "s0", ID: "one"}); err != nil {
		t.Fatal(err)
	}
	events, err := b.Subscribe(t.Context(), "one", "")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	await := func(want string) {
		t.Helper()
		limit := time.After(20 * time.Second)
		for {
			select {
			case ev, open := <-events:
				if !open {
					t.Fatalf("the stream ended before %s; it had %v", want, got)
				}
				data, _ := json.Marshal(ev.Data)
				text := string(ev.Type) + " " + string(data)
				got = append(got, text)
				if strings.Contains(text, want) {
					return
				}
			case <-limit:
				t.Fatalf("no %s; there were %v", want, got)
			}
		}
	}
	await("snapshot")
	until(t, "b listens", func() bool { return s.NumSubscriptions() >= before+3 })
	var worst time.Duration
	for i := range 3 {
		began := time.Now()
		step <- struct{}{}
		await(fmt.Sprintf(`"step":"s%d","visit":1,"status":"active"`, i+1))
		worst = max(worst, time.Since(began))
	}
	t.Logf("from the end of a call to the event at the other engine: at most %s", worst)
	s.Shutdown()
	s.WaitForShutdown()
	for range 2 {
		step <- struct{}{}
	}
	await(`"step":"s4","visit":1,"status":"complete"`)
	_ = serve(t, server.Options{Port: port})
	until(t, "b is connected again", func() bool { return b.Load().Relay.Connected && a.Load().Relay.Connected })
	step <- struct{}{}
	await("end")
	all := strings.Join(got, "\n")
	for i := range 6 {
		if n := strings.Count(all, fmt.Sprintf(`"step":"s%d","visit":1,"status":"complete"`, i)); n != 1 {
			t.Errorf("%d times the end of s%d in:\n%s", n, i, all)
		}
	}
}
