package engine

import (
	"context"
	"errors"

	"github.com/stepgraph/stepgraph/engine/inspect"
	"github.com/stepgraph/stepgraph/engine/internal/retry"
	"github.com/stepgraph/stepgraph/engine/store"
)

// Adopt imports sessions that LUNA or a person created: those that have a state but no status of
// this engine. It computes their status and questions; they continue from their current steps,
// in the workflow that their node names (default if it names none). It returns the number of
// adopted sessions and the sessions that it could not read.
func (e *Engine) Adopt(ctx context.Context) (int, []Finding, error) {
	adopted := 0
	var bad []Finding
	var each []store.SessionRecord
	err := inspect.EachSession(ctx, e.store, SessionQuery{Status: []string{""}}, 1_000_000, func(rec *store.SessionRecord) bool {
		if rec.Version == 0 && rec.Status == "" {
			each = append(each, *rec)
		}
		return true
	})
	if err != nil {
		return 0, nil, err
	}
	for i := range each {
		if _, err := e.EditState(ctx, EditRequest{Session: each[i].ID, State: each[i].State, By: "migrate --adopt"}); err != nil {
			if retry.Transient(err) {
				return adopted, bad, err
			}
			if !errors.Is(err, ErrVersionMismatch) && !errors.Is(err, ErrSessionBusy) { // another engine or person changed it meanwhile
				bad = append(bad, Finding{Level: "error", Code: "not_adopted", Message: err.Error(), Mend: "session edit " + each[i].ID})
			}
			continue
		}
		adopted++
	}
	return adopted, bad, nil
}
