package main

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"time"

	"github.com/spf13/cobra"

	"github.com/stepgraph/stepgraph/api"
	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/engine/function"
)

// defaultAddr is where engines listen by default.
const defaultAddr = "127.0.0.1:7766"

// serveOptions are the flags of what serves.
type serveOptions struct {
	settingFlags
	addr   string
	token  string
	hosts  []string
	compat bool
	open   bool // of dev: no token is needed
	lease  string
	poll   string
	limits limitFlags
	nats   natsConfig
	drain  string
	keep   []string
	folder string

	tlsCert, tlsKey            string
	maxStore, audit, auditKeep string
	oidc                       oidcFlags
}

func (o *serveOptions) register(c *cobra.Command, compat bool) {
	f := c.Flags()
	f.StringVar(&o.addr, "addr", "", "address to listen on ($STEPGRAPH_ADDR, "+defaultAddr+")")
	f.StringVar(&o.token, "token", "", "token that every request must carry ($STEPGRAPH_TOKEN); required off loopback")
	f.StringSliceVar(&o.hosts, "host", nil, "names, in addition to loopback ones, under which this server is reached")
	f.StringVar(&o.tlsCert, "tls-cert", "", "certificate chain (PEM) to serve https with; read again when it changes ($STEPGRAPH_TLS_CERT)")
	f.StringVar(&o.tlsKey, "tls-key", "", "private key of --tls-cert (PEM) ($STEPGRAPH_TLS_KEY)")
	f.StringVar(&o.audit, "audit", "", "file that takes a line of JSON for each change and each refused request ($STEPGRAPH_AUDIT)")
	f.StringVar(&o.auditKeep, "audit-keep", "", "how long the store keeps the audit trail; off for none in the store ($STEPGRAPH_AUDIT_KEEP, 2160h)")
	f.StringVar(&o.maxStore, "max-store", "", "size, such as 20GB, above which an embedded store accepts no new sessions and workflows ($STEPGRAPH_MAX_STORE)")
	f.StringVar(&o.lease, "lease", "", "how long until another engine takes over the sessions of a dead one ($STEPGRAPH_LEASE, 15s)")
	f.StringVar(&o.poll, "poll", "", "how often the engine polls for due sessions ($STEPGRAPH_POLL, 1s)")
	o.limits.register(f)
	o.nats.register(f)
	o.oidc.register(f)
	f.StringVar(&o.drain, "drain", "", "how long to keep answering after the signal to stop, while /readyz reports it ($STEPGRAPH_DRAIN, 0s; behind a balancer: longer than its interval)")
	f.StringSliceVar(&o.keep, "keep", nil, "how long sessions are kept after they end, STATUS=AGE or WORKFLOW:STATUS=AGE, such as complete=30d,cancelled=7d ($STEPGRAPH_KEEP; default: for ever)")
	f.StringVar(&o.folder, "archive", "", "folder for the archive: sessions are written there as NDJSON before --keep removes them ($STEPGRAPH_ARCHIVE)")
	f.BoolVar(&o.compat, "compat", compat, "serve the HTTP APIs of the systems whose workflows can be imported")
}

// A serving is an HTTP server with an engine behind it, or about to be.
type serving struct {
	cmd  *serveCommands
	o    *serveOptions
	gate *gate
	on   *listener
	// browser is the Neo4j Browser of a database that was started here; "" elsewhere.
	browser string
	// anonymous are the scopes of requests without a token, and signIn is how a page gets one.
	anonymous []string
	signIn    *signIn
	// certificate is that of https; nil for http.
	certificate *certificate
	audit       *auditFile // nil for none
	// releaseStore lets steps call the database again; nil until up.
	releaseStore func()
}

// serve binds the address. Nothing but /healthz answers well until up.
func (cmd *serveCommands) serve(o *serveOptions) (*serving, error) {
	noCoreDumps(cmd.env("GOTRACEBACK"))
	o.addr = cmp.Or(o.addr, cmd.env("STEPGRAPH_ADDR"), defaultAddr)
	if err := cmd.host.readTimings(o); err != nil {
		return nil, err
	}
	o.token = cmp.Or(o.token, cmd.env("STEPGRAPH_TOKEN"), cmd.config.Token)
	if !loopback(o.addr) && o.token == "" {
		return nil, usagef("--addr %s is reachable from other machines: give --token or $STEPGRAPH_TOKEN", o.addr)
	}
	if !loopback(o.addr) && len(o.token) < shortestToken {
		return nil, usagef("--token has %d characters, and --addr %s is reachable from other machines: give at least %d random ones, for example from: openssl rand -hex 32", len(o.token), o.addr, shortestToken)
	}
	cmd.host.oidcSecret = cmp.Or(o.oidc.secretFile, cmd.env("STEPGRAPH_OIDC_CLIENT_SECRET_FILE"))
	cmd.host.tlsKey, cmd.host.auditFile = o.tlsKey, cmp.Or(o.audit, cmd.env("STEPGRAPH_AUDIT"), cmd.config.Audit)
	level := slog.LevelInfo
	if cmd.verbose {
		level = slog.LevelDebug
	}
	cmd.log = slog.New(slog.NewTextHandler(cmd.err, &slog.HandlerOptions{Level: level}))
	s := &serving{cmd: cmd, o: o, gate: &gate{}}
	var err error
	if s.certificate, err = openCertificate(cmp.Or(o.tlsCert, cmd.env("STEPGRAPH_TLS_CERT"), cmd.config.TLSCert), cmp.Or(o.tlsKey, cmd.env("STEPGRAPH_TLS_KEY"), cmd.config.TLSKey)); err != nil {
		return nil, err
	}
	if s.audit, err = openAudit(cmd.host.auditFile, cmd.log); err != nil {
		return nil, err
	}
	s.on, err = listen(o.addr, s.gate, s.certificate)
	return s, err
}

// Bounds of --lease: below, healthy engines lose sessions; above, dead ones block them.
const (
	shortestLease = time.Second
	longestLease  = time.Hour
)

// readTimings reads how long leases are and how often due sessions are looked for.
func (h *host) readTimings(o *serveOptions) (err error) {
	if h.lease, err = function.ParseDuration(cmp.Or(o.lease, h.env("STEPGRAPH_LEASE"), h.config.Lease)); err != nil {
		return usagef("--lease: %s", err)
	}
	if h.lease != 0 && (h.lease < shortestLease || h.lease > longestLease) {
		return usagef("--lease is %s, want %s to %s", h.lease, shortestLease, longestLease)
	}
	if h.poll, err = function.ParseDuration(cmp.Or(o.poll, h.env("STEPGRAPH_POLL"), h.config.Poll)); err != nil {
		return usagef("--poll: %s", err)
	}
	if h.drain, err = function.ParseDuration(cmp.Or(o.drain, h.env("STEPGRAPH_DRAIN"), h.config.Drain)); err != nil {
		return usagef("--drain: %s", err)
	}
	if h.keep, err = h.keepRules(o.keep); err != nil {
		return err
	}
	h.archive = cmp.Or(o.folder, h.env("STEPGRAPH_ARCHIVE"), h.config.Archive)
	if h.nats, err = o.nats.resolve(h.env, h.config.NATS); err != nil {
		return err
	}
	h.limits, err = o.limits.resolve(h.env, h.config.Limits)
	return err
}

// up starts the engine and opens the gate.
func (s *serving) up(ctx context.Context, own *localEngine, store string) error {
	tokens, err := s.cmd.local.openTokens(store, s.o.token)
	if err != nil {
		return fmt.Errorf("tokens: %w", err)
	}
	full, err := s.cmd.host.maxStore(s.o.maxStore, store)
	if err != nil {
		return err
	}
	options := api.Options{
		Quota: s.cmd.config.Quota, StoreFull: full,
		Neo4jBrowser: cmp.Or(s.browser, s.cmd.env("NEO4J_BROWSER_URL"), browserOf(s.cmd.config.address(store))),
		Log:          s.cmd.log, Token: s.o.token, Loopback: loopback(s.o.addr), Hosts: s.o.hosts, Compat: s.o.compat, Vault: own.resources.vault,
		Model: own.catalog.Default(), Anonymous: s.anonymous,
	}
	options.Findings = func() []engine.Finding { return []engine.Finding{s.cmd.host.isolationFinding(own.settings)} }
	if s.audit != nil {
		options.Audit = s.audit.record
	}
	keep, err := s.cmd.host.auditKeep(s.o.auditKeep)
	if err != nil {
		return err
	}
	if options.KeepAudit = keep > 0; options.KeepAudit {
		go s.cmd.host.forgetAudit(ctx, own.store, keep)
	}
	if s.signIn != nil {
		options.SignIn = s.signIn.take
	}
	if tokens != nil { // a nil *File would be a Tokens that is not nil
		options.Tokens = tokens
	}
	signIn, err := s.o.oidc.open(s.cmd.env, s.cmd.log)
	if err != nil {
		return err
	}
	if signIn != nil { // a nil *SignIn would be a People that is not nil
		options.People = signIn
	}
	s.releaseStore = denyDatabase(ctx, append(s.cmd.config.addresses(store), options.Neo4jBrowser)...)
	own.run(ctx)
	s.gate.open(api.New(own.engine, options))
	return nil
}

// browserOf is the default address of a Neo4j's Browser: port 7474 of the host that answers Bolt. "" for other stores.
func browserOf(store string) string {
	u, err := url.Parse(store)
	if err != nil || u.Hostname() == "" {
		return ""
	}
	switch u.Scheme {
	case "neo4j", "bolt":
		return "http://" + net.JoinHostPort(u.Hostname(), "7474") + "/browser/"
	case "neo4j+s", "bolt+s", "neo4j+ssc", "bolt+ssc":
		return "https://" + net.JoinHostPort(u.Hostname(), "7473") + "/browser/"
	}
	return ""
}

// wait returns when ctx ends, or when the server or the engine fails.
func (s *serving) wait(ctx context.Context, own *localEngine) error {
	select {
	case <-ctx.Done():
		s.cmd.printErr("stopping")
		return nil
	case err := <-s.on.failed:
		return fmt.Errorf("serve on %s: %w", s.o.addr, err)
	case err := <-own.stopped:
		own.stopped <- err
		return fmt.Errorf("the processor ended: %w", err)
	}
}

// stop stops the server before the engine and its store are closed, so that no request meets a
// closed store. First /readyz reports the stop for as long as a load balancer needs to notice.
func (s *serving) stop() error {
	s.gate.drain()
	if s.cmd.host.drain > 0 {
		s.cmd.printErr("draining for %s", s.cmd.host.drain)
		time.Sleep(s.cmd.host.drain)
	}
	if s.releaseStore != nil {
		s.releaseStore()
	}
	return s.on.close()
}

// anonymous is what requests without a token may do on dev: look, start sessions and answer.
var anonymous = []string{"read", "answer"}

// requireToken creates dev's token if none was given: then every program on this machine may read
// and answer, and only those who can read the folder, or have the link, may do everything.
func (s *serving) requireToken() error {
	if s.o.token != "" || s.o.open {
		return nil
	}
	token, err := s.cmd.local.devToken()
	if err != nil {
		return err
	}
	s.o.token, s.anonymous = token, anonymous
	s.signIn = &signIn{token: token}
	s.signIn.used = func() { s.cmd.printErr("signed in; for another browser: %s%s", s.on.address(), s.signIn.link()) }
	return nil
}
