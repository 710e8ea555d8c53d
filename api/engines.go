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

func (s *server) registerEngines() {
	register(s, operation{id: "listEngines", method: http.MethodGet, path: "/api/v1/engines", tag: tagOperating,
		summary: "List the engines at work on the store",
		about:   "Each engine announces itself every 10 s. One that stopped or fell silent is shown for 10 minutes."}, s.engines)
}

func (s *server) engines(ctx context.Context, _ *empty) (*struct{ Body Engines }, error) {
	list, err := s.e.Engines(ctx)
	if err != nil {
		return nil, err
	}
	return &struct{ Body Engines }{Engines{Items: list}}, nil
}
