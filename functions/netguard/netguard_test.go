package netguard_test

import (
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stepgraph/stepgraph/functions/netguard"
)

// Every way of writing an address of ours must end before a connection is made: the
// listener on the loopback of both families gets nothing.
func TestBlocked(t *testing.T) {
	var hits atomic.Int64
	port := listen(t, &hits)
	client := &http.Client{Transport: netguard.Transport(nil)}
	hosts := []string{
		"127.0.0.1", "127.8.9.1", "[::1]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[::]", "0.0.0.0", "localhost",
		"2130706433", "0x7f000001", "0177.0.0.1", "017700000001", "127.1", "0x7f.1",
		"169.254.169.254", "[::ffff:169.254.169.254]", "10.0.0.1", "10.255.1.2", "172.16.0.1", "192.168.1.1", "100.64.0.1",
		"[fd00::1]", "[fe80::1]", "[64:ff9b::7f00:1]", "[2002:7f00:1::]", "[ff02::1]", "224.0.0.1", "255.255.255.255",
	}
	for _, host := range hosts {
		t.Run(host, func(t *testing.T) {
			response, err := client.Get("http://" + host + ":" + port + "/")
			if err == nil {
				response.Body.Close()
				t.Fatalf("was called: %s", response.Status)
			}
			var blocked *netguard.BlockedError
			var name *net.DNSError // some spellings are names here, which nobody knows
			if !errors.As(err, &blocked) && !errors.As(err, &name) {
				t.Errorf("error %v, want a blocked address", err)
			}
		})
	}
	if n := hits.Load(); n != 0 {
		t.Errorf("the listener got %d requests", n)
	}
}

func TestBlockedErrorSaysWhatToDo(t *testing.T) {
	client := &http.Client{Transport: netguard.Transport(nil)}
	_, err := client.Get("http://127.0.0.1:1/")
	if err == nil || !strings.Contains(err.Error(), "address 127.0.0.1 is not on the public internet") || !strings.Contains(err.Error(), "--allow-net 127.0.0.1/32") {
		t.Errorf("error %v", err)
	}
}

func TestRedirectIsChecked(t *testing.T) {
	var hits atomic.Int64
	port := listen(t, &hits)
	// The server that redirects is on another loopback address, which is allowed.
	listener, err := net.Listen("tcp", "127.0.0.2:0")
	if err != nil {
		t.Skipf("this machine has no second loopback address to redirect from: %v", err)
	}
	server := &httptest.Server{Listener: listener, Config: &http.Server{Handler: http.RedirectHandler("http://127.0.0.1:"+port+"/", http.StatusFound)}}
	server.Start()
	defer server.Close()
	client := &http.Client{Transport: netguard.Transport([]netip.Prefix{netip.MustParsePrefix("127.0.0.2/32")})}
	_, err = client.Get(server.URL)
	var blocked *netguard.BlockedError
	if !errors.As(err, &blocked) || hits.Load() != 0 {
		t.Errorf("redirected to loopback: %v, %d requests", err, hits.Load())
	}
}

func TestAllowed(t *testing.T) {
	var hits atomic.Int64
	port := listen(t, &hits)
	tests := []struct{ allow, host string }{
		{"127.0.0.0/8", "127.0.0.1"}, {"127.0.0.1/32", "localhost"}, {"::ffff:127.0.0.0/104", "127.0.0.1"}, {"127.0.0.9/8", "[::ffff:127.0.0.1]"},
	}
	for _, test := range tests {
		before := hits.Load()
		client := &http.Client{Transport: netguard.Transport([]netip.Prefix{netip.MustParsePrefix(test.allow)})}
		response, err := client.Get("http://" + test.host + ":" + port + "/")
		if err != nil {
			t.Errorf("%s with %s: %v", test.host, test.allow, err)
			continue
		}
		response.Body.Close()
		if hits.Load() != before+1 {
			t.Errorf("%s with %s was not called", test.host, test.allow)
		}
	}
}

// listen serves one port on the loopback of both families, as far as the machine has them.
func listen(t *testing.T, hits *atomic.Int64) (port string) {
	t.Helper()
	handler := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { hits.Add(1) })
	first := httptest.NewServer(handler)
	t.Cleanup(first.Close)
	_, port, err := net.SplitHostPort(first.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	if other, err := net.Listen("tcp6", "[::1]:"+port); err == nil {
		second := &httptest.Server{Listener: other, Config: &http.Server{Handler: handler}}
		second.Start()
		t.Cleanup(second.Close)
	}
	return port
}
