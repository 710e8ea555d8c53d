package api

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"
	"github.com/go-chi/chi/v5"

	"github.com/stepgraph/stepgraph/access"
	"github.com/stepgraph/stepgraph/compat/agentzero/agentzeroapi"
	"github.com/stepgraph/stepgraph/compat/flowise/flowiseapi"
	"github.com/stepgraph/stepgraph/compat/luna"
	"github.com/stepgraph/stepgraph/compat/nebulaflow/nebulaflowapi"
)

// A server is the handler of one New: the engine behind its checks, the routes of the
// resources, the gate that requests pass and the observer that records them. It lives as long as the
// handler, and each request passes its parts in this order:
//
//	observer   metrics, the log and the audit trail, also of refused requests
//	gate       host, origin, token, scope and quota
//	routes     decode and check the input; one type for each resource
//	e          audit entries, a full store, limits of the token; then the engine itself
//
// It keeps no state of sessions: any number of servers may answer for one store.
type server struct {
	*routeTable
	e        Engine
	o        Options
	metrics  *metrics
	gate     *gate
	observer *observer
	routes   chi.Routes // all of them
}

// New returns the API of an engine. It works at the root of a server and, behind
// http.StripPrefix or chi's Mount, below any prefix.
func New(e Engine, o Options) http.Handler {
	outer, _ := build(e, o)
	return outer
}

func build(e Engine, o Options) (chi.Router, *server) {
	o = o.withDefaults()
	outer := chi.NewRouter()
	counts := newMetrics(e, o.Metrics)
	table := &routeTable{log: o.Log, actions: map[string]string{}, answers: newAnswerStore()}
	audit := &auditor{actions: table.actions, routes: outer, trail: trail{sink: o.Audit, log: o.Log}}
	if o.KeepAudit {
		audit.store = e.Store()
	}
	watch := &observer{log: o.Log, metrics: counts, auditor: audit}
	s := &server{routeTable: table, o: o, metrics: counts, gate: &gate{o: o}, observer: watch, routes: outer,
		e: audited{guarded{newLimited(e), o.StoreFull}, audit}}
	e = s.e
	outer.Use(watch.observe, limitUnreadBodies, headAsGet, watch.recoverPanics, securityHeaders, s.gate.checkHost, s.gate.checkOrigin)
	outer.NotFound(noRoute)
	outer.MethodNotAllowed(methodNotAllowed(outer))
	for path, handle := range map[string]http.HandlerFunc{"/healthz": healthz, "/readyz": readyz(e, o.Log)} {
		outer.Get(path, handle)
		outer.Head(path, handle) // what many monitors send
	}

	mountStudio(outer)
	mountReference(outer)
	s.gate.mountSignIn(outer)
	s.gate.mountPeople(outer)
	flows := flowiseapi.Options{Log: o.Log, Variables: variableValues(o.Vault), MayEdit: func(ctx context.Context) bool {
		t := tokenFrom(ctx)
		return t == nil || t.Allows(access.Edit)
	}}
	flows.Serve = s.gate.serveAs
	flows.Wrong = func(w http.ResponseWriter, r *http.Request) {
		endBody(w)
		s.gate.delayWrongToken(r)
	}
	flows.Secrets, _ = o.Vault.(flowiseapi.Secrets)
	if o.Compat {
		flowiseapi.MountOpen(outer, e, flows)
	}

	inner := chi.NewRouter()
	inner.Use(s.gate.checkToken)
	inner.NotFound(noRoute)
	inner.MethodNotAllowed(methodNotAllowed(outer)) // chi keeps what the outer one found
	s.api = humachi.New(inner, humaConfig())
	s.api.UseMiddleware(s.deadline, s.guardBody, s.replay)
	describeProblems(s.api.OpenAPI().Components)
	registerAll(table, e, o, &counts.streams)
	document := openAPI(s.api.OpenAPI())
	inner.Get("/openapi.json", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/openapi+json")
		_, _ = w.Write(document)
	})
	inner.Get("/schemas/workflow.json", workflowSchema(e.Registry()))
	inner.Get("/metrics", s.metrics.show)
	mountMCP(inner, outer, document)
	mountProblems(inner)
	if o.Compat {
		luna.Mount(inner, e, o.Log)
		agentzeroapi.Mount(inner, e, agentProfiles(o.Vault), o.Log)
		nebulaflowapi.Mount(inner, e, nebulaflowapi.Options{Log: o.Log, Heartbeat: o.Heartbeat, Models: offeredModels(o.Model, o.Vault)})
		flowiseapi.Mount(inner, e, flows)
	}
	outer.Mount("/", inner)
	return outer, s
}

// deadline bounds a request, by what ?wait= asks for and RequestTimeout besides. The
// connection's write deadline follows, whatever the server has set.
func (s *server) deadline(c huma.Context, next func(huma.Context)) {
	if specOf(c.Operation()).stream {
		next(c)
		return
	}
	longest := max(s.o.RequestTimeout, specOf(c.Operation()).longest)
	if wait, err := parseWait(c.Query("wait")); err == nil {
		longest += wait
	}
	ctx, cancel := context.WithTimeoutCause(c.Context(), longest, errRequestIsSlow)
	defer cancel()
	_, w := humachi.Unwrap(c)
	// A writer without deadlines (a recorder, a foreign server) goes without.
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(longest + 10*time.Second))
	next(huma.WithContext(c, ctx))
}

// methodNotAllowed answers with what the route would take.
func methodNotAllowed(routes chi.Routes) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		path := r.URL.Path
		if c := chi.RouteContext(r.Context()); c != nil && c.RoutePath != "" {
			path = c.RoutePath
		}
		var takes []string
		for _, m := range []string{"GET", "POST", "PUT", "PATCH", "DELETE"} {
			if routes.Match(chi.NewRouteContext(), m, path) {
				w.Header().Add("Allow", m)
				takes = append(takes, m)
			}
		}
		detail := r.Method + " " + r.URL.Path
		if len(takes) > 0 {
			detail += ": it takes " + strings.Join(takes, ", ")
		}
		problem("method_not_allowed", detail).write(w)
	}
}
