package flowiseapi

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"slices"
	"strings"

	"github.com/stepgraph/stepgraph/compat/flowise"
	"github.com/stepgraph/stepgraph/engine"
)

// vary gives a turn its own workflow if the request changes inputs of nodes. Requests with the
// same changes share one.
func (f *turns) vary(ctx context.Context, t *flowTurn) error {
	api := t.flow.api()
	if !api.OverrideConfig.Status || len(t.asked.Override) == 0 {
		return nil
	}
	text, err := t.flow.document()
	if err != nil {
		return err
	}
	text, changed := api.Override(text, t.asked.Override)
	if !changed {
		return nil
	}
	sum := sha256.Sum256([]byte(text))
	id := t.flow.ID + variantMark + hex.EncodeToString(sum[:8])
	if t.workflow, err = f.e.Workflow(ctx, id); !errors.Is(err, engine.ErrWorkflowNotFound) {
		return err
	}
	file, err := flowise.Parse(t.flow.Name+".json", []byte(text))
	if err != nil {
		return runRefusal(flowise.FaultText(err))
	}
	w := &file.Workflows[0]
	w.ID, w.Name = id, t.flow.Name
	w.Extra[variantProperty] = t.flow.ID
	w.Normalize()
	t.workflow = w
	if _, err = f.e.Put(ctx, w, engine.PutOptions{Force: true}); err != nil {
		return err
	}
	return f.flows.dropVariants(ctx, t.flow.ID, keptVariants, id)
}

// variantMark separates the id of a flow from the suffix of a variant.
const variantMark = "~"

// keptVariants is how many variants of a flow are kept when another one is made.
const keptVariants = 64

// dropVariants deletes variants of a flow that no session uses any more, until at most most
// are left; the variant but is kept.
func (f *chatflows) dropVariants(ctx context.Context, flow string, most int, but string) error {
	all, err := f.e.Workflows(ctx)
	if err != nil {
		return err
	}
	all = slices.DeleteFunc(all, func(w engine.WorkflowInfo) bool { return !strings.HasPrefix(w.ID, flow+variantMark) || w.ID == but })
	for i, info := range all {
		if len(all)-i <= most {
			return nil
		}
		counts, err := f.e.CountSessions(ctx, engine.SessionQuery{Workflow: info.ID, Status: unfinished}, "status")
		if err == nil && len(counts) == 0 {
			err = f.e.DeleteWorkflow(ctx, info.ID, "")
		}
		if err != nil && !errors.Is(err, engine.ErrWorkflowNotFound) {
			return err
		}
	}
	return nil
}

// unfinished are the statuses of sessions that may go on.
var unfinished = []string{engine.StatusActive, engine.StatusPaused, engine.StatusAwaitingInput, engine.StatusPending, engine.StatusError}
