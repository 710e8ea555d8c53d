package api

import (
	"context"
	"net/http"
	"strings"

	"github.com/stepgraph/stepgraph/access"
)

// Server is what a client may want to know of the server it talks to.
type Server struct {
	Store   string `json:"store" enum:"neo4j,sqlite,memory" doc:"what keeps graph, state and history"`
	Browser string `json:"browser,omitempty" doc:"where Neo4j Browser is, if known" example:"http://127.0.0.1:7474/browser/"`

	Token  string   `json:"token,omitempty" doc:"the name of the request's token; empty for one that may do everything" example:"desk"`
	Scopes []string `json:"scopes" doc:"what the request's token allows, admin written out as all scopes" example:"[\"read\",\"answer\"]"`
}

func (r *operatingRoutes) registerServer() {
	register(r.routeTable, operation{id: "getServer", method: http.MethodGet, path: "/api/v1/server", tag: tagOperating,
		summary: "Read the server's store and the scopes of the request's token"}, r.server)
}

// server says no more of the store than its kind: an address may hold names of machines.
func (r *operatingRoutes) server(ctx context.Context, _ *empty) (*struct{ Body Server }, error) {
	out := Server{Store: "neo4j", Browser: r.browser}
	switch kind, _, _ := strings.Cut(r.e.Store().Describe(), ":"); kind {
	case "sqlite", "memory":
		out = Server{Store: kind}
	}
	out.Scopes = access.Scopes
	if t := tokenFrom(ctx); t != nil {
		out.Token = t.Name
		if !t.Allows(access.Admin) {
			out.Scopes = t.Scopes
		}
	}
	return &struct{ Body Server }{out}, nil
}
