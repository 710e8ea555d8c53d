package mcp

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/stepgraph/stepgraph/functions/internal/input"
	"github.com/stepgraph/stepgraph/functions/netguard"
)

const (
	maxAnswer = 8 << 20         // bytes of one HTTP answer
	terminate = 2 * time.Second // time for a command to end after its input was closed
)

// transport returns the transport to a server, and a tail with the secrets to mask.
func (o Options) transport(s Server) (sdk.Transport, *tail, error) {
	said := &tail{}
	switch {
	case s.Command != "" && s.URL != "":
		return nil, nil, input.Bad("it has a command and a url; give one of them")
	case s.Command != "":
		c := exec.Command(s.Command, s.Args...)
		c.Dir, c.Stderr, c.Env = s.Dir, said, inherited()
		for name, value := range s.Env {
			expanded, err := o.expand(value, nil)
			if err != nil {
				return nil, nil, input.Bad("env %s: %v", name, err)
			}
			said.hide(expanded)
			c.Env = append(c.Env, name+"="+expanded)
		}
		slices.Sort(c.Env)
		return &sdk.CommandTransport{Command: c, TerminateDuration: terminate}, said, nil
	case s.URL != "":
		client, err := o.client(s, said)
		if err != nil {
			return nil, nil, err
		}
		return &sdk.StreamableClientTransport{Endpoint: s.URL, HTTPClient: client, MaxRetries: 1, MaxEventSize: maxAnswer, DisableStandaloneSSE: true}, said, nil
	}
	return nil, nil, input.Bad("it has neither a command nor a url")
}

// inherited returns the environment variables that a command inherits: enough to find
// programs, and no keys.
func inherited() []string {
	var env []string
	for _, name := range []string{"PATH", "HOME", "LANG", "TMPDIR", "SYSTEMROOT"} {
		if value, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+value)
		}
	}
	return env
}

func (o Options) client(s Server, said *tail) (*http.Client, error) {
	home, err := url.Parse(s.URL)
	if err != nil || home.Host == "" || (home.Scheme != "http" && home.Scheme != "https") {
		return nil, input.Bad("url: want an http or https address")
	}
	header := http.Header{}
	for name, value := range s.Headers {
		expanded, err := o.expand(value, home)
		if err != nil {
			return nil, input.Bad("header %s: %v", name, err)
		}
		said.hide(expanded)
		said.hide(strings.TrimPrefix(expanded, "Bearer "))
		header.Set(name, expanded)
	}
	return &http.Client{
		Transport:     &faithful{base: netguard.Transport(o.AllowNet), header: header},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}, nil
}

// faithful adds the server's headers. Redirects are not followed, so the headers go to no
// other host.
type faithful struct {
	base   http.RoundTripper
	header http.Header
}

// RoundTrip sends a request and limits its response body to maxAnswer.
func (f *faithful) RoundTrip(request *http.Request) (*http.Response, error) {
	request = request.Clone(request.Context())
	for name, values := range f.header {
		request.Header[name] = values
	}
	response, err := f.base.RoundTrip(request)
	if err != nil {
		return nil, err
	}
	response.Body = limited{io.LimitReader(response.Body, maxAnswer), response.Body}
	return response, nil
}

type limited struct {
	io.Reader
	io.Closer
}

// connect starts or reaches a server. The session outlives ctx.
func (o Options) connect(ctx context.Context, s Server) (*sdk.ClientSession, *tail, error) {
	transport, said, err := o.transport(s)
	if err != nil {
		return nil, nil, err
	}
	client := sdk.NewClient(&sdk.Implementation{Name: "stepgraph", Version: "1"}, &sdk.ClientOptions{Capabilities: &sdk.ClientCapabilities{}})
	session, err := client.Connect(ctx, transport, nil)
	return session, said, err
}
