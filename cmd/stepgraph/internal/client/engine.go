package client

import (
	"context"

	"github.com/stepgraph/stepgraph/api"
	"github.com/stepgraph/stepgraph/engine"
)

// An Engine is one of this process. Its client asks it directly for what differs from a server: no
// other engine continues its sessions, and workflows need not fit the body of a request.
type Engine interface {
	// Rest waits until a session is idle; false while the engine does not run.
	Rest(ctx context.Context, session string) (bool, error)
	// Settle waits until the sessions that a batch has changed are idle.
	Settle(ctx context.Context, b *api.Batch) error
	Workflow(ctx context.Context, id string) (*engine.Workflow, error)
	Put(ctx context.Context, w *engine.Workflow, o engine.PutOptions) (*engine.Difference, error)
	// Where names the store.
	Where() string
	Close() error
}
