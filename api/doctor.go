package api

import (
	"context"
	"net/http"

	"github.com/stepgraph/stepgraph/engine"
)

// Findings is what doctor found.
type Findings struct {
	Status   string           `json:"status" enum:"ok,warning,error" doc:"the worst level found"`
	Findings []engine.Finding `json:"findings"`
}

func (r *operatingRoutes) registerDoctor() {
	register(r.routeTable, operation{id: "doctor", method: http.MethodGet, path: "/api/v1/doctor", tag: tagOperating, longest: lookTime,
		summary: "Check store, workflows and sessions for problems",
		about:   "Each finding has the command that fixes it. Changes nothing."}, r.doctor)
}

func (r *operatingRoutes) doctor(ctx context.Context, _ *empty) (*struct{ Body Findings }, error) {
	found, err := r.e.Doctor(ctx)
	if err != nil {
		return nil, err
	}
	if r.findings != nil {
		found = append(r.findings(), found...)
	}
	out := Findings{Status: "ok", Findings: append([]engine.Finding{}, found...)}
	for _, f := range found {
		if f.Level == "error" || f.Level == "warning" && out.Status == "ok" {
			out.Status = f.Level
		}
	}
	return &struct{ Body Findings }{out}, nil
}
