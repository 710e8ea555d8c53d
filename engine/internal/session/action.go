package session

import (
	"encoding/json"

	"github.com/stepgraph/stepgraph/engine/state"
	"github.com/stepgraph/stepgraph/engine/store"
)

// ActionBody is the JSON body of an operator's request (cancel, retry, move and so on).
type ActionBody struct {
	Reason string          `json:"reason,omitempty"`
	Step   string          `json:"step,omitempty"`
	Visit  int             `json:"visit,omitempty"`
	To     string          `json:"to,omitempty"`
	Name   string          `json:"name,omitempty"`
	Body   json.RawMessage `json:"body,omitempty"`
	NewKey bool            `json:"new_key,omitempty"`
}

// BodyOf decodes the body of an action.
func BodyOf(q *store.Request) ActionBody {
	var b ActionBody
	_ = json.Unmarshal(q.Body, &b) // the engine wrote the body; of one edited by hand, the fields that decode count
	return b
}

// MayAct returns an error when the request kind does not apply to a session in its current status.
func MayAct(kind string, rec *store.SessionRecord) error {
	st, err := state.ReadOnly(rec.ID, rec.State)
	return MayActIn(st, err, kind, rec)
}

// MayActIn is MayAct for a session whose state is decoded; err is why it could not be.
func MayActIn(st *state.Reading, err error, kind string, rec *store.SessionRecord) error {
	if err != nil {
		if kind == store.RequestCancel || kind == store.RequestResume {
			return nil
		}
		return store.Detailf(store.ErrBadRequest, "%v", err)
	}
	status := st.ShownStatus(rec.Version)
	switch kind {
	case store.RequestPause, store.RequestSignal, store.RequestReask:
		if store.Ended(status) {
			return store.Detailf(store.ErrSessionEnded, "session %s is %s", rec.ID, status)
		}
	case store.RequestCancel:
		if status == store.StatusComplete {
			return store.Detailf(store.ErrSessionEnded, "session %s is complete", rec.ID)
		}
	case store.RequestRetry, store.RequestAdvance, store.RequestMove, store.RequestRollback:
		if status == store.StatusCancelled {
			return store.Detailf(store.ErrSessionEnded, "session %s is cancelled", rec.ID)
		}
	}
	return nil
}
