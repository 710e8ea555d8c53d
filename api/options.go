package api

import (
	"io"
	"log/slog"
	"net/http"
	"time"

	"github.com/stepgraph/stepgraph/access"
	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/vault"
)

// Options configure the handler. The zero value works: no token, any Host, no routes of
// other systems.
type Options struct {
	Log *slog.Logger // slog.Default by default

	// Token, if set, is required on every route but Studio's files, /healthz and /readyz (and, with Compat,
	// the two that Flowise's clients ask without one and that tell nothing): as
	// `Authorization: Bearer`, as `X-API-KEY`, or as the password of Basic (for browsers).
	Token string
	// Tokens, if set, are further tokens, each with the scopes it has; a request needs one of
	// them or Token.
	Tokens Tokens
	// Anonymous are the scopes of requests without a token, where Token or Tokens is set.
	Anonymous []string
	// Audit, if set, is called for each request that changes something or was refused, before
	// it is answered, from several goroutines.
	Audit func(AuditEntry)
	// KeepAudit keeps the same entries in the store, where GET /api/v1/audit reads them. A
	// change whose entry cannot be written is answered 503.
	KeepAudit bool
	// Caller is the name of callers if the handler requires no token; "anonymous" by default.
	Caller string
	// Quota applies to tokens, and requests without a token, that have no quota of their own.
	Quota access.Quota
	// StoreFull, if set, says why the store may not grow any more; "" while it may.
	StoreFull func() string
	// SignIn, if set, gives the token for a code of /sign-in/CODE, once; "" for a wrong one.
	SignIn func(code string) string
	// People, if set, signs people in with cookies, in addition to tokens.
	People People
	// Loopback says that the server listens on loopback only. Then the Host header must be
	// a loopback name or one of Hosts, so that no web page reaches the API under a name of
	// its own (DNS rebinding).
	Loopback bool
	Hosts    []string // names without port, besides loopback ones
	// Compat mounts the routes of the systems whose clients are to work unchanged.
	Compat bool
	// Model is the name of the model used by default, for clients that list models; "" if there
	// is none.
	Model string
	// Vault keeps profiles, variables and secrets; one in memory by default.
	Vault Vault
	// Metrics add to /metrics: each writes families of its own in the text format of Prometheus,
	// as expfmt.MetricFamilyToText of Prometheus's client library does.
	Metrics []func(io.Writer)

	// Findings, if set, are added to those of GET /api/v1/doctor: what the program that serves
	// knows of itself.
	Findings func() []engine.Finding

	// Neo4jBrowser is where the store's Neo4j Browser is, for links that open it.
	Neo4jBrowser string

	RequestTimeout time.Duration // 30 s, besides what ?wait= asks for
	Heartbeat      time.Duration // 15 s between comments on an event stream
}

func (o Options) withDefaults() Options {
	if o.Log == nil {
		o.Log = slog.Default()
	}
	if o.RequestTimeout == 0 {
		o.RequestTimeout = 30 * time.Second
	}
	if o.Heartbeat == 0 {
		o.Heartbeat = 15 * time.Second
	}
	if o.Vault == nil {
		memory, err := vault.Open(vault.Options{})
		if err != nil {
			panic("api: " + err.Error()) // without a file there is nothing to fail
		}
		o.Vault = memory
	}
	return o
}

// Tokens finds the token of a text; nil if there is none or it has expired.
type Tokens interface {
	Find(text string) (*access.Token, error)
}

// People signs people in; *people.SignIn implements it.
type People interface {
	// Token returns the token of the person whose browser sends the request; nil for none.
	Token(r *http.Request) *access.Token
	Start(w http.ResponseWriter, r *http.Request)
	Callback(w http.ResponseWriter, r *http.Request)
	SignOut(w http.ResponseWriter, r *http.Request)
}

// Vault is the store of profiles, variables and secrets that the API uses; *vault.Vault
// implements it.
type Vault interface {
	Profiles() ([]vault.Named[vault.Profile], error)
	Profile(name string) (vault.Named[vault.Profile], error)
	PutProfile(name string, p vault.Profile) error
	DeleteProfile(name string) error
	Variables() ([]vault.Named[vault.Variable], error)
	Variable(name string) (vault.Named[vault.Variable], error)
	PutVariable(name string, v vault.Variable) error
	DeleteVariable(name string) error
	Secrets() ([]vault.Named[vault.Secret], error)
	Secret(name string) (vault.Named[vault.Secret], error)
	PutSecret(name, value string, s vault.Secret) error
	DeleteSecret(name string) error
}
