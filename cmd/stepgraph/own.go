package main

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/models"
)

// An ownEngine is an engine of this process, on a store that it opened.
type ownEngine struct {
	*engine.Engine
	catalog  *models.Catalog
	recorder *models.Recorder
	stop     context.CancelCauseFunc
	stopped  chan error // nil while it does not run
}

// ownOptions say what an engine of this process is for.
type ownOptions struct {
	settings settings
	serving  string // address under which it serves; "" for the length of a command
	record   string // file for the replies of models
}

// openOwn opens store and engine; nothing runs yet.
func (a *app) openOwn(ctx context.Context, o ownOptions) (*ownEngine, error) {
	own := &ownEngine{}
	if o.record != "" {
		own.recorder = models.NewRecorder(o.record)
	}
	registry, catalog, err := a.registry(o.settings, own.recorder)
	if err != nil {
		return nil, err
	}
	own.catalog = catalog
	store, err := a.openStore(ctx, o.settings.store, o.serving)
	if err != nil {
		return nil, err
	}
	if _, err := store.Migrate(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("store %s: %w", store.Describe(), err), store.Close(context.WithoutCancel(ctx)))
	}
	own.Engine = engine.New(store, registry, engine.Options{Log: a.log})
	return own, nil
}

// run starts the processor. The engine outlives ctx: Close ends it, so that a command
// that is told to stop can still say how far it came.
func (o *ownEngine) run(ctx context.Context) {
	life, stop := context.WithCancelCause(context.WithoutCancel(ctx))
	o.stop = stop
	o.stopped = make(chan error, 1)
	go func() { o.stopped <- o.Run(life) }()
}

var errCommandEnded = errors.New("the command has ended")

// Close stops the processor, gives leases back and closes the store.
func (o *ownEngine) Close() error {
	var faults []error
	if o.stopped != nil {
		o.stop(errCommandEnded)
		if err := <-o.stopped; err != nil && !errors.Is(err, errCommandEnded) && !errors.Is(err, context.Canceled) {
			faults = append(faults, err)
		}
	}
	if o.recorder != nil {
		faults = append(faults, o.recorder.Flush())
	}
	return errors.Join(append(faults, o.Store().Close(context.Background()))...)
}

// Start starts a session and waits until it rests: nobody else will move it.
func (o *ownEngine) Start(ctx context.Context, q engine.StartRequest, _ time.Duration) (*engine.Session, error) {
	return o.rested(ctx)(o.Engine.Start(ctx, q))
}

// Answer answers and waits until the session rests again.
func (o *ownEngine) Answer(ctx context.Context, q engine.AnswerRequest, _ time.Duration) (*engine.Session, error) {
	return o.rested(ctx)(o.Engine.Answer(ctx, q))
}

// Act steers and waits until the session rests again.
func (o *ownEngine) Act(ctx context.Context, action engine.Action) (*engine.Session, error) {
	return o.rested(ctx)(o.Engine.Act(ctx, action))
}

// EditState edits and waits until the session rests again.
func (o *ownEngine) EditState(ctx context.Context, id string, version int64, text []byte) (*engine.Session, error) {
	return o.rested(ctx)(o.Engine.EditState(ctx, id, version, text, ""))
}

// rested waits for the session that a call gave, while the processor runs.
func (o *ownEngine) rested(ctx context.Context) func(*engine.Session, error) (*engine.Session, error) {
	return func(s *engine.Session, err error) (*engine.Session, error) {
		if err != nil || o.stopped == nil {
			return s, err
		}
		waited, err := o.Wait(ctx, s.ID)
		if err != nil {
			return nil, err
		}
		waited.Accepted, waited.Replayed = s.Accepted, s.Replayed
		return waited, nil
	}
}

// Sessions lists sessions with a cursor in words.
func (o *ownEngine) Sessions(ctx context.Context, q engine.SessionQuery, after string) ([]engine.Session, string, error) {
	if after != "" {
		text, err := base64.RawURLEncoding.DecodeString(after)
		if err != nil || json.Unmarshal(text, &q.After) != nil {
			return nil, "", usagef("cursor %q is none of this store", after)
		}
	}
	list, next, err := o.Engine.Sessions(ctx, q)
	if err != nil || next == nil {
		return list, "", err
	}
	text, err := json.Marshal(next)
	return list, base64.RawURLEncoding.EncodeToString(text), err
}

// PutWorkflow stores a workflow, whatever stands there.
func (o *ownEngine) PutWorkflow(ctx context.Context, w *engine.Workflow) (*engine.Difference, error) {
	return o.Engine.PutWorkflow(ctx, w, "")
}

// Functions lists what steps may call.
func (o *ownEngine) Functions(context.Context) ([]*engine.Spec, error) {
	return o.Registry().Specs(), nil
}

// Where names the engine for people.
func (o *ownEngine) Where() string { return o.Store().Describe() }
