package natsbus_test

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nats-io/jwt/v2"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nkeys"

	"github.com/stepgraph/stepgraph/natsbus"
)

// must returns a value that has no error.
func must[T any](t *testing.T) func(T, error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// Credentials are a JWT of the user, and its key, which signs what the server sends. A file that
// is not one, or has another key, says so without the key.
func TestCredentials(t *testing.T) {
	text, key := must[string](t), must[nkeys.KeyPair](t)
	operator, account, user := key(nkeys.CreateOperator()), key(nkeys.CreateAccount()), key(nkeys.CreateUser())
	accountID := text(account.PublicKey())
	resolver := &server.MemAccResolver{}
	if err := resolver.Store(accountID, text(jwt.NewAccountClaims(accountID).Encode(operator))); err != nil {
		t.Fatal(err)
	}
	s := serve(t, server.Options{Port: -1, TrustedKeys: []string{text(operator.PublicKey())}, AccountResolver: resolver})
	userJWT := text(jwt.NewUserClaims(text(user.PublicKey())).Encode(account))
	write := func(parts ...string) string {
		file := filepath.Join(t.TempDir(), "user.creds")
		if err := os.WriteFile(file, []byte(strings.Join(parts, "\n")), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	creds := func(seed string) string {
		return write("-----BEGIN NATS USER JWT-----", userJWT, "------END NATS USER JWT------", "", "****** IMPORTANT ******", "",
			"-----BEGIN USER NKEY SEED-----", seed, "------END USER NKEY SEED------", "")
	}
	seedOf := func(pair nkeys.KeyPair) string { return string(must[[]byte](t)(pair.Seed())) }
	seed := seedOf(user)
	good := open(t, natsbus.Options{URL: s.ClientURL(), Credentials: creds(seed)})
	until(t, "it is connected", func() bool { return good.State().Connected })

	other := "A"
	if seed[20] == 'A' {
		other = "B"
	}
	for name, c := range map[string]struct{ file, want string }{
		"no credentials":       {write("hello"), "no nkey seed"},
		"another user's key":   {creds(seedOf(key(nkeys.CreateUser()))), "Authorization"},
		"an account's key":     {creds(seedOf(account)), "Authorization"},
		"a letter is mistyped": {creds(seed[:20] + other + seed[21:]), "checksum"},
	} {
		b := open(t, natsbus.Options{URL: s.ClientURL(), Credentials: c.file})
		until(t, name+" says why not", func() bool { return strings.Contains(b.State().Fault, c.want) })
		if st := fmt.Sprint(b.State()); strings.Contains(st, seed[:15]) {
			t.Errorf("%s: the state shows the key: %s", name, st)
		}
	}
}

// A token may stand in the address, a server that is gone is passed over, and notices go over WebSockets too.
func TestAddresses(t *testing.T) {
	s := serve(t, server.Options{Port: -1, Authorization: "geheim", Websocket: server.WebsocketOpts{Host: "127.0.0.1", Port: -1, NoTLS: true}})
	gone := freePort(t)
	overTCP := open(t, natsbus.Options{URL: fmt.Sprintf("nats://127.0.0.1:%d, nats://geheim@%s", gone, s.Addr())})
	overWeb := open(t, natsbus.Options{URL: strings.Replace(s.WebsocketURL(), "://", "://geheim@", 1)})
	until(t, "both are connected", func() bool { return overTCP.State().Connected && overWeb.State().Connected })
	for _, b := range []*natsbus.Bus{overTCP, overWeb} {
		if st := fmt.Sprint(b.State()); strings.Contains(st, "geheim") {
			t.Errorf("state shows the token: %s", st)
		}
	}
	in := &inbox{}
	defer overWeb.Listen("x", in.hear, func() {})()
	long := strings.Repeat("long ", 20_000)
	until(t, "it is heard over the WebSocket", func() bool {
		overTCP.Send("x", []byte(long))
		return strings.HasPrefix(in.all(), long)
	})
	before := overTCP.State().Dropped
	overTCP.Send("x", make([]byte, 2<<20)) // the server takes 1 MB
	if st := overTCP.State(); st.Dropped != before+1 || !st.Connected {
		t.Errorf("a notice that is too long: %+v", st)
	}
}

// The servers that a cluster names are used when the given one is gone.
func TestCluster(t *testing.T) {
	routes := server.RoutesFromStr(fmt.Sprintf("nats://127.0.0.1:%d", freePort(t)))
	first := serve(t, server.Options{Port: -1, ServerName: "first", Cluster: server.ClusterOpts{Name: "c", Host: "127.0.0.1", Port: portOf(t, routes[0].Host)}})
	second := serve(t, server.Options{Port: -1, ServerName: "second", Cluster: server.ClusterOpts{Name: "c", Host: "127.0.0.1", Port: -1}, Routes: routes})
	until(t, "they are a cluster", func() bool { return first.NumRoutes() > 0 && second.NumRoutes() > 0 })
	b := open(t, natsbus.Options{URL: first.ClientURL()})
	until(t, "it is connected", func() bool { return b.State().Connected })
	first.Shutdown()
	first.WaitForShutdown()
	until(t, "it is connected to the second", func() bool { return second.NumClients() == 1 && b.State().Connected })
}

func portOf(t *testing.T, address string) int {
	t.Helper()
	a, err := net.ResolveTCPAddr("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	return a.Port
}

// A listener that is too slow loses notices, is told once it goes on, and holds up no other one.
func TestSlowListener(t *testing.T) {
	s := serve(t, server.Options{Port: -1})
	before := s.NumSubscriptions()
	a, b := open(t, natsbus.Options{URL: s.ClientURL()}), open(t, natsbus.Options{URL: s.ClientURL()})
	until(t, "both are connected", func() bool { return a.State().Connected && b.State().Connected })
	slow, quick, stuck := &inbox{}, &inbox{}, make(chan struct{})
	defer b.Listen("x", func([]byte) { <-stuck }, func() { slow.missed.Add(1) })()
	defer b.Listen("x", quick.hear, func() { quick.missed.Add(1) })()
	until(t, "listeners are known", func() bool { return s.NumSubscriptions() >= before+2 })
	const notices = 6000
	for n := range notices {
		a.Send("x", []byte{byte(n)})
		if n%1000 == 999 {
			until(t, "the quick one has all of it", func() bool { quick.mu.Lock(); defer quick.mu.Unlock(); return len(quick.list) == n+1 })
		}
	}
	close(stuck)
	until(t, "the slow one is told", func() bool { return slow.missed.Load() > 0 })
	if st := b.State(); st.Dropped == 0 || quick.missed.Load() > 1 { // once, if the library reports the connection only now
		t.Errorf("dropped %d times; the quick one missed %d times", st.Dropped, quick.missed.Load())
	}
}
