package netguard_test

import (
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"testing"

	"github.com/stepgraph/stepgraph/functions/netguard"
)

// The program's own listener is closed to steps, whatever networks are open.
func TestTheOwnListenerIsNeverCalled(t *testing.T) {
	hits := 0
	handler := http.HandlerFunc(func(http.ResponseWriter, *http.Request) { hits++ })
	for _, host := range []string{"127.0.0.1", "0.0.0.0", "[::]"} {
		on, err := net.Listen("tcp", host+":0")
		if err != nil {
			t.Fatal(err)
		}
		server := &httptest.Server{Listener: on, Config: &http.Server{Handler: handler}}
		server.Start()
		release := netguard.Own(on.Addr())
		port := netip.MustParseAddrPort(on.Addr().String()).Port()
		client := &http.Client{Transport: netguard.Guarded([]netguard.Rule{{Prefix: netip.MustParsePrefix("0.0.0.0/0")}, {Prefix: netip.MustParsePrefix("::/0")}, {Prefix: netip.MustParsePrefix("127.0.0.0/8"), Port: port}})}
		for _, name := range []string{"127.0.0.1", "localhost", "0.0.0.0", "[::ffff:127.0.0.1]", "2130706433", "0x7f.1"} {
			_, err := client.Get("http://" + name + on.Addr().String()[len(on.Addr().String())-6:])
			if err == nil {
				t.Errorf("%s on %s was called", name, host)
			}
		}
		release()
		response, err := client.Get("http://127.0.0.1" + on.Addr().String()[len(on.Addr().String())-6:])
		if err != nil {
			t.Errorf("a listener that is released: %v", err)
		} else {
			response.Body.Close()
		}
		server.Close()
	}
	if hits != 3 {
		t.Errorf("%d requests arrived, want the three after the release", hits)
	}
}

func TestAPortIsOpenedAlone(t *testing.T) {
	one := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer one.Close()
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer other.Close()
	rule, err := netguard.ParseRule(one.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	client := &http.Client{Transport: netguard.Guarded([]netguard.Rule{rule})}
	response, err := client.Get(one.URL)
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	if _, err := client.Get(other.URL); !errors.As(err, new(*netguard.BlockedError)) {
		t.Errorf("another port: %v", err)
	}
}

func TestParseRule(t *testing.T) {
	for text, want := range map[string]string{"10.0.0.0/8": "10.0.0.0/8 0", "127.0.0.1": "127.0.0.1/32 0", "127.0.0.1:9000": "127.0.0.1/32 9000",
		"10.0.0.0/8:443": "10.0.0.0/8 443", "[::1]:80": "::1/128 80", "::1": "::1/128 0", "fd00::/8": "fd00::/8 0"} {
		rule, err := netguard.ParseRule(text)
		if err != nil || rule != parsed(want) {
			t.Errorf("%s: %+v, %v", text, rule, err)
		}
	}
	for _, text := range []string{"localhost", "127.0.0.1:", "127.0.0.1:0", "127.0.0.1:x", "10.0.0.0/8:70000", "10.0.0.0/99"} {
		if rule, err := netguard.ParseRule(text); err == nil {
			t.Errorf("%s is read as %+v", text, rule)
		}
	}
}

func parsed(text string) (r netguard.Rule) {
	for i := range text {
		if text[i] == ' ' {
			r.Prefix = netip.MustParsePrefix(text[:i])
			for _, c := range text[i+1:] {
				r.Port = r.Port*10 + uint16(c-'0')
			}
		}
	}
	return r
}
