package web

import (
	"context"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/functions/netguard"
)

const (
	// MaxBody is the maximal size of a response body in bytes; a larger body is an error.
	MaxBody      = 1 << 20
	maxRedirects = 5
	timeout      = 30 * time.Second
)

// Options configure which networks requests may reach and which secrets they may use. The zero
// value works.
type Options struct {
	AllowNet []netip.Prefix // networks that may be called in addition to the public internet
	Getenv   Lookup         // if nil, no name has a value
	Timeout  time.Duration  // of a request that sets none; 30 s by default
	// Transport replaces the default transport, which only connects to allowed networks. Only
	// tests and programs with their own network policy set it.
	Transport http.RoundTripper
}

// A Client makes requests. It may be used by several goroutines at once.
type Client struct {
	options Options
	http    *http.Client
}

// New returns a client.
func New(o Options) *Client {
	if o.Timeout == 0 {
		o.Timeout = timeout
	}
	if o.Transport == nil {
		o.Transport = netguard.Transport(o.AllowNet)
	}
	return &Client{options: o, http: &http.Client{Transport: o.Transport, CheckRedirect: checkRedirect}}
}

// Prepare creates a request to an http or https URL; method is GET if empty. An invalid method
// or URL is an error of kind request, since data may have caused it.
func (c *Client) Prepare(ctx context.Context, method, address string) (*Sending, *function.CallError) {
	to, err := url.Parse(strings.TrimSpace(address))
	if err != nil || to.Host == "" || (to.Scheme != "http" && to.Scheme != "https") {
		return nil, refused("url: want an http or https address, not %q", shortened(address))
	}
	request, err := http.NewRequestWithContext(ctx, strings.ToUpper(strings.TrimSpace(method)), to.String(), nil)
	if err != nil {
		return nil, refused("method: want a word such as GET, not %q", shortened(method))
	}
	request.Header.Set("User-Agent", "stepgraph")
	s := &Sending{client: c, request: request}
	s.env = environment{to: to, getenv: c.options.Getenv, names: function.CallOf(ctx).Secrets, secrets: &s.secrets}
	if password, has := to.User.Password(); has {
		s.secrets.add(password)
	}
	return s, nil
}
