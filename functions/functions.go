package functions

import (
	"encoding/json"
	"log/slog"
	"net/http"
	"net/netip"
	"net/url"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/functions/agent"
	"github.com/stepgraph/stepgraph/functions/api"
	"github.com/stepgraph/stepgraph/functions/classify"
	"github.com/stepgraph/stepgraph/functions/code"
	"github.com/stepgraph/stepgraph/functions/files"
	"github.com/stepgraph/stepgraph/functions/generate"
	"github.com/stepgraph/stepgraph/functions/graph"
	"github.com/stepgraph/stepgraph/functions/graphql"
	"github.com/stepgraph/stepgraph/functions/integration"
	"github.com/stepgraph/stepgraph/functions/internal/input"
	"github.com/stepgraph/stepgraph/functions/shell"
)

// Options are what functions may use here. The zero value works: no model, no network but
// the public internet, nothing of the environment, no script files.
type Options struct {
	Models   generate.Models                    // usually a *models.Catalog; without it generate is off
	Profiles func() map[string]generate.Profile // named settings of generate
	Schemas  func() map[string]json.RawMessage  // named schemas of generate
	AllowNet []netip.Prefix                     // networks that workflows may call beside the public internet
	// Getenv gives the value of $NAME for a request to host, and whether workflows may use
	// it there; without it no name has a value.
	Getenv    func(name string, to *url.URL) (string, bool)
	Transport http.RoundTripper // replaces the guarded one of api
	Timeout   time.Duration     // of an HTTP request whose step sets none; 30 s by default
	Code      code.Options      // limits of scripts, and their folder
	Shell     shell.Options     // whether steps may run commands, and where
	Files     files.Options     // the folder that file functions see; off without
	Graph     graph.Options     // what graph.query reads; off without
	Log       *slog.Logger      // what integrations gave, at debug level; nil: none
}

// Generate returns the options of the functions that call models.
func (o Options) Generate() generate.Options {
	return generate.Options{Models: o.Models, Profiles: o.Profiles, Schemas: o.Schemas, Getenv: o.Getenv}
}

// Schema returns the JSON Schema of an input or output as the functions of this package
// describe theirs.
func Schema[T any]() *jsonschema.Schema { return input.Schema[T]() }

// Standard registers every function of this package and of those below it. It is the whole
// list.
func Standard(r *engine.Registry, o Options) {
	// Questions.
	r.Add(requestSpec())
	r.Add(confirmSpec())
	r.Add(selectSpec())

	// Talking, to people and to models.
	r.Add(replySpec())
	talking := o.Generate()
	asks := generate.Spec(talking)
	r.Add(asks)
	r.Add(agent.Spec(talking))
	r.Add(classify.Spec(talking))

	// The outside.
	r.Add(api.Spec(api.Options{AllowNet: o.AllowNet, Getenv: o.Getenv, Timeout: o.Timeout, Transport: o.Transport}))

	r.Add(graphql.Spec(graphql.Options{AllowNet: o.AllowNet, Getenv: o.Getenv, Timeout: o.Timeout, Transport: o.Transport}))
	r.Add(integration.Spec(integration.Options{AllowNet: o.AllowNet, Getenv: o.Getenv, Timeout: o.Timeout, Transport: o.Transport, Log: o.Log}))
	r.Add(graph.Spec(o.Graph))
	r.Add(shell.Spec(o.Shell))
	for _, spec := range files.Specs(o.Files) {
		r.Add(spec)
	}

	// Work on data.
	r.Add(code.Spec(o.Code))
	r.Add(variableSpec())
	r.Add(calculateSpec())
	r.Add(templateSpec())
	r.Add(accumulateSpec())

	// Branches.
	r.Add(conditionSpec())
	r.Add(switchSpec())

	// Containers, children and time.
	r.Add(loopSpec())
	r.Add(iterateSpec())
	r.Add(groupSpec(asks.Function))
	r.Add(mapSpec())
	r.Add(subflowSpec())
	r.Add(waitSpec())
}
