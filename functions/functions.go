package functions

import (
	"encoding/json"
	"log/slog"
	"net/http"
	"net/netip"
	"net/url"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stepgraph/stepgraph/engine/function"
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

// Options configure the standard functions. With the zero value there are no models, no
// environment variables, no script files, and no network but the public internet.
type Options struct {
	Models   generate.Models                    // usually a *models.Catalog; if nil, generate is off
	Profiles func() map[string]generate.Profile // named settings of generate
	Schemas  func() map[string]json.RawMessage  // named schemas of generate
	AllowNet []netip.Prefix                     // networks that workflows may call in addition to the public internet
	// Getenv returns the value of $NAME for a request to an address, and whether workflows may
	// use it there. If nil, no name has a value.
	Getenv    func(name string, to *url.URL) (string, bool)
	Transport http.RoundTripper // replaces the default transport of api, which only connects to allowed networks
	Timeout   time.Duration     // of an HTTP request whose step sets none; 30 s by default
	Code      code.Options      // limits of scripts, and their folder
	Shell     shell.Options     // whether steps may run commands, and where
	Files     files.Options     // the folder of the file functions; off if empty
	Graph     graph.Options     // the store that graph.query reads; off if empty
	Log       *slog.Logger      // results of integrations, at debug level; nil: none
}

// Generate returns the options for the functions that call models.
func (o Options) Generate() generate.Options {
	return generate.Options{Models: o.Models, Profiles: o.Profiles, Schemas: o.Schemas, Getenv: o.Getenv}
}

// Schema returns the JSON Schema of an input or output type, derived as for the functions of
// this package.
func Schema[T any]() *jsonschema.Schema { return input.Schema[T]() }

// Standard registers every function of this package and its subpackages. It is the complete
// list.
func Standard(r *function.Registry, o Options) {
	// Questions.
	r.Add(requestSpec())
	r.Add(confirmSpec())
	r.Add(selectSpec())

	// Messages to people, calls of models.
	r.Add(replySpec())
	talking := o.Generate()
	asks := generate.Spec(talking)
	r.Add(asks)
	r.Add(agent.Spec(talking))
	r.Add(classify.Spec(talking))

	// Network, processes and files.
	r.Add(api.Spec(api.Options{AllowNet: o.AllowNet, Getenv: o.Getenv, Timeout: o.Timeout, Transport: o.Transport}))

	r.Add(graphql.Spec(graphql.Options{AllowNet: o.AllowNet, Getenv: o.Getenv, Timeout: o.Timeout, Transport: o.Transport}))
	r.Add(integration.Spec(integration.Options{AllowNet: o.AllowNet, Getenv: o.Getenv, Timeout: o.Timeout, Transport: o.Transport, Log: o.Log}))
	r.Add(graph.Spec(o.Graph))
	r.Add(shell.Spec(o.Shell))
	for _, spec := range files.Specs(o.Files) {
		r.Add(spec)
	}

	// Data.
	r.Add(code.Spec(o.Code))
	r.Add(variableSpec())
	r.Add(calculateSpec())
	r.Add(templateSpec())
	r.Add(accumulateSpec())

	// Branches.
	r.Add(conditionSpec())
	r.Add(switchSpec())

	// Containers, child sessions and time.
	r.Add(loopSpec())
	r.Add(iterateSpec())
	r.Add(groupSpec(asks.Function))
	r.Add(mapSpec())
	r.Add(subflowSpec())
	r.Add(waitSpec())
}
