package engine

import "encoding/json"

// actionBody is the body of an operator's request.
type actionBody struct {
	Reason string          `json:"reason,omitempty"`
	Step   string          `json:"step,omitempty"`
	Visit  int             `json:"visit,omitempty"`
	To     string          `json:"to,omitempty"`
	Name   string          `json:"name,omitempty"`
	Body   json.RawMessage `json:"body,omitempty"`
	NewKey bool            `json:"new_key,omitempty"`
}

func bodyOf(q *Request) actionBody {
	var b actionBody
	_ = json.Unmarshal(q.Body, &b) // written by us; a body made by hand counts as far as it reads
	return b
}

// mayAct refuses what makes no sense on a session that has ended.
func mayAct(kind string, rec *SessionRecord) error {
	st, err := readState(rec.ID, rec.State)
	if err != nil {
		if kind == RequestCancel || kind == RequestResume {
			return nil
		}
		return detail(ErrBadRequest, "%v", err)
	}
	status := st.ShownStatus(rec.Version)
	switch kind {
	case RequestPause, RequestSignal, RequestReask:
		if ended(status) {
			return detail(ErrSessionEnded, "session %s is %s", rec.ID, status)
		}
	case RequestCancel:
		if status == StatusComplete {
			return detail(ErrSessionEnded, "session %s is complete", rec.ID)
		}
	case RequestRetry, RequestAdvance, RequestMove, RequestRollback:
		if status == StatusCancelled {
			return detail(ErrSessionEnded, "session %s is cancelled", rec.ID)
		}
	}
	return nil
}

// ended tells whether a session of this status has come to an end.
func ended(status string) bool {
	return status == StatusComplete || status == StatusCancelled || status == StatusError
}

// actions are the kinds of requests that an Action can be.
var actions = []string{RequestPause, RequestResume, RequestCancel, RequestRetry, RequestAdvance, RequestMove, RequestReask, RequestRollback, RequestSignal}
