package flowise_test

import (
	"context"
	"encoding/json"
	"net/netip"
	"testing"
	"time"

	"github.com/stepgraph/stepgraph/compat"
	"github.com/stepgraph/stepgraph/compat/flowise"
	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/enginetest"
	"github.com/stepgraph/stepgraph/functions"
	"github.com/stepgraph/stepgraph/functions/generate"
	"github.com/stepgraph/stepgraph/memory"
	"github.com/stepgraph/stepgraph/models"
)

// running is an engine in memory with all pure functions and a model that is told what to say.
type running struct {
	*engine.Engine
	t *testing.T
}

func start(t *testing.T, model models.Func, variables map[string]json.RawMessage) running {
	t.Helper()
	if model == nil {
		return startWith(t, nil, variables)
	}
	return startWith(t, enginetest.OneModel(model), variables)
}

// startWith is start with a catalog of models.
func startWith(t *testing.T, catalog generate.Models, variables map[string]json.RawMessage) running {
	t.Helper()
	registry := engine.NewRegistry()
	options := functions.Options{AllowNet: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}
	if catalog != nil {
		options.Models = catalog
	}
	functions.Standard(registry, options)
	compat.Functions(registry, options)
	store := memory.New(memory.Options{})
	if _, err := store.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	e := engine.New(store, registry, engine.Options{Variables: func() map[string]json.RawMessage { return variables }})
	enginetest.Start(t, e)
	return running{e, t}
}

// put compiles a document and stores it under an id.
func (r running) put(id, document string) *engine.Workflow {
	r.t.Helper()
	file, err := flowise.Parse(id+".json", []byte(document))
	if err != nil {
		r.t.Fatal(err)
	}
	w := &file.Workflows[0]
	w.ID = id
	for i := range w.Steps {
		w.Steps[i].Workflow = id
	}
	if _, err := r.Put(r.t.Context(), w, engine.PutOptions{Force: true}); err != nil {
		r.t.Fatal(err)
	}
	return w
}

// play starts a session and waits until it rests.
func (r running) play(q engine.StartRequest) *engine.Session {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(r.t.Context(), 30*time.Second)
	defer cancel()
	session, err := r.Start(ctx, q)
	if err != nil {
		r.t.Fatal(err)
	}
	return r.rest(ctx, session.ID)
}

func (r running) rest(ctx context.Context, id string) *engine.Session {
	r.t.Helper()
	session, err := r.Wait(ctx, id)
	if err != nil {
		r.t.Fatal(err)
	}
	return session
}
