package inspect

import (
	"context"

	"github.com/stepgraph/stepgraph/engine/state"
	"github.com/stepgraph/stepgraph/engine/store"
)

// Standing counts the current steps of a workflow's unfinished sessions by step and status.
type Standing struct {
	Steps map[string]map[string]int64 `json:"steps"`
	More  bool                        `json:"more"` // there are older sessions, which were not read
}

// standingSessions bounds how many states Standing reads.
const standingSessions = 500

// Standing counts the steps that failed, run or lack a value in the newest sessions of a
// workflow that failed, run, are paused or pending. Steps that wait for an answer are not
// among them: CountSessions counts those of all sessions from an index. The status of other
// steps is in the state's text only, so states have to be read, and their number is bounded.
func (i *Inspector) Standing(ctx context.Context, workflow string) (*Standing, error) {
	out := &Standing{Steps: map[string]map[string]int64{}}
	read := 0
	q := store.SessionQuery{Workflow: workflow, Status: []string{store.StatusError, store.StatusPending, store.StatusActive, store.StatusPaused}}
	err := i.eachSession(ctx, q, standingSessions+1, func(rec *store.SessionRecord) bool {
		if read++; read > standingSessions {
			out.More = true
			return false
		}
		st, err := state.Parse(rec.ID, rec.State)
		if err != nil {
			return true // the session's own page names the fault
		}
		for _, id := range st.StepIDs() {
			switch status := st.Status(id); status {
			case store.StatusError, store.StatusPending, store.StatusActive:
				if out.Steps[id] == nil {
					out.Steps[id] = map[string]int64{}
				}
				out.Steps[id][status]++
			}
		}
		return true
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}
