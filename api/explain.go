package api

import (
	"context"
	"encoding/json"
	"mime"
	"net/http"
	"reflect"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/stepgraph/stepgraph/engine"
)

type explainIn struct {
	AtSession
	Accept string `header:"Accept" doc:"text/plain for the same as text"`
}

type explainOut struct {
	ContentType string `header:"Content-Type"`
	Body        []byte
}

func (r *sessionRoutes) registerExplain() {
	register(r.routeTable, operation{id: "explainSession", method: http.MethodGet, path: "/api/v1/sessions/{session}/explain", tag: tagOperating,
		summary:  "Explain why a session does not continue",
		about:    "Each step that waits and for what, each finished step without an open path with each clause of the conditions, each limit; and the command that fixes it. By its state and the graph of now.",
		problems: []string{"session_not_found"}}, r.explain)
	op := r.api.OpenAPI().Paths["/api/v1/sessions/{session}/explain"].Get
	op.Responses["200"].Content = map[string]*huma.MediaType{
		"application/json": {Schema: r.api.OpenAPI().Components.Schemas.Schema(reflect.TypeFor[engine.Explanation](), true, "")},
		"text/plain":       {Schema: &huma.Schema{Type: huma.TypeString}},
	}
}

func (r *sessionRoutes) explain(ctx context.Context, in *explainIn) (*explainOut, error) {
	x, err := r.e.Explain(ctx, in.Session)
	if err != nil {
		return nil, err
	}
	if wantsText(in.Accept) {
		return &explainOut{"text/plain; charset=utf-8", []byte(x.String())}, nil
	}
	text, err := json.Marshal(x)
	return &explainOut{"application/json", text}, err
}

// wantsText reports whether an Accept header asks for text before JSON.
func wantsText(accept string) bool {
	for part := range strings.SplitSeq(accept, ",") {
		switch kind, _, _ := mime.ParseMediaType(part); kind {
		case "text/plain":
			return true
		case "application/json", "*/*":
			return false
		}
	}
	return false
}
