package api

import (
	"net/http"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/formats"
)

// workflowSchema serves the JSON Schema of workflow files with the functions of this engine,
// for editors.
func workflowSchema(registry *engine.Registry) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/schema+json")
		_, _ = w.Write(formats.Schema(registry))
	}
}
