package api

import (
	"context"
	"net/http"

	"github.com/stepgraph/stepgraph/engine"
)

// Engines are the engines on the store.
type Engines struct {
	Items []engine.EngineInfo `json:"items"`
}

func (r *operatingRoutes) registerEngines() {
	register(r.routeTable, operation{id: "listEngines", method: http.MethodGet, path: "/api/v1/engines", tag: tagOperating,
		summary: "List the engines on the store",
		about:   "Each engine announces itself every 10 s. One that stopped is listed for 10 minutes."}, r.engines)
}

func (r *operatingRoutes) engines(ctx context.Context, _ *empty) (*struct{ Body Engines }, error) {
	list, err := r.e.Engines(ctx)
	if err != nil {
		return nil, err
	}
	return &struct{ Body Engines }{Engines{Items: list}}, nil
}
