package mcp

import (
	"log/slog"
	"net/netip"
	"net/url"
	"os"
	"regexp"
	"strings"
	"time"

	"github.com/stepgraph/stepgraph/functions/internal/input"
)

// A Server is one configured MCP server: a command that speaks MCP on its standard input and
// output, or the URL of a server with streamable HTTP. $NAME and ${NAME} in the values of Env
// and Headers stand for secrets and environment variables.
type Server struct {
	Command string            `json:"command,omitempty"`
	Args    []string          `json:"args,omitempty"`
	Env     map[string]string `json:"env,omitempty"` // in addition to PATH, HOME, LANG and TMPDIR; nothing else of the engine's environment is inherited
	Dir     string            `json:"dir,omitempty"`
	URL     string            `json:"url,omitempty"`
	Headers map[string]string `json:"headers,omitempty"`
	Tools   []string          `json:"tools,omitempty"`   // tools that workflows may call; all when empty
	Timeout input.Duration    `json:"timeout,omitempty"` // of one call; Options.Timeout when absent
}

// Options configure the MCP servers. With the zero value there are none.
type Options struct {
	Servers  map[string]Server
	AllowNet []netip.Prefix // networks that may be called in addition to the public internet
	// Lookup returns the value of a secret or environment variable, for the Headers of a
	// server at a URL, or with a nil URL for the Env of a command; os.LookupEnv by default.
	Lookup  func(name string, to *url.URL) (string, bool)
	Timeout time.Duration // of starting a server, and of one call; 60 s by default
	Idle    time.Duration // time without a call after which a server is closed; 5 minutes by default
	Log     *slog.Logger  // receives what servers write to standard error, at debug level; nil: none
}

func (o Options) withDefaults() Options {
	if o.Lookup == nil {
		o.Lookup = func(name string, _ *url.URL) (string, bool) { return os.LookupEnv(name) }
	}
	if o.Timeout == 0 {
		o.Timeout = time.Minute
	}
	if o.Idle == 0 {
		o.Idle = 5 * time.Minute
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return o
}

func (o Options) timeout(s Server) time.Duration {
	if s.Timeout > 0 {
		return time.Duration(s.Timeout)
	}
	return o.Timeout
}

var variable = regexp.MustCompile(`\$(?:\{[A-Za-z_][A-Za-z0-9_]*\}|[A-Z_][A-Z0-9_]*)`)

// expand replaces names by values; a name without a value is an error.
func (o Options) expand(text string, to *url.URL) (string, error) {
	var missing string
	out := variable.ReplaceAllStringFunc(text, func(found string) string {
		name := strings.Trim(found, "${}")
		value, ok := o.Lookup(name, to)
		if !ok && missing == "" {
			missing = name
		}
		return value
	})
	if missing != "" {
		return "", input.Bad("there is no secret or variable %q", missing)
	}
	return out, nil
}
