package store

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// Kinds of request.
const (
	RequestAnswer   = "answer"
	RequestSignal   = "signal"
	RequestPause    = "pause"
	RequestResume   = "resume"
	RequestCancel   = "cancel"
	RequestRetry    = "retry"
	RequestAdvance  = "advance"
	RequestMove     = "move"
	RequestReask    = "reask"
	RequestRollback = "rollback"
	RequestChild    = "child_ended"
	RequestState    = "state" // an edit of the state, kept for the record
	RequestLost     = "lost"  // a call whose worker had lost the session
	RequestStart    = "start" // remembers the key a session was started with
)

// A Request is one message from outside, numbered in its session's inbox. It is
// durable before it is acknowledged, and applied by the holder of the lease, once.
type Request struct {
	ID      string `json:"id"` // session/key
	Session string `json:"session"`
	Key     string `json:"key"`
	N       int64  `json:"n"` // 1, 2, … within the session
	// Target is session/step/visit/ask of the question an answer is for, unique among all
	// requests; "" for everything else.
	Target   string          `json:"target,omitempty"`
	Kind     string          `json:"kind"`
	Step     string          `json:"step,omitempty"`
	Visit    int             `json:"visit,omitempty"`
	Ask      int             `json:"ask,omitempty"`
	Body     json.RawMessage `json:"body,omitempty"`
	BodyHash string          `json:"body_hash,omitempty"`
	By       string          `json:"by,omitempty"` // who, where known
	At       time.Time       `json:"at"`
	Applied  bool            `json:"applied"`
	Outcome  string          `json:"outcome,omitempty"` // what applying it did, for people; "" until applied
}

// Accepted describes the accepted answer to a question.
type Accepted struct {
	Request  string          `json:"request"`
	Step     string          `json:"step"`
	Visit    int             `json:"visit"`
	Ask      int             `json:"ask"`
	Response json.RawMessage `json:"response"`
	At       time.Time       `json:"at"`
	Replayed bool            `json:"replayed"`
}

// Target names one question among all: it is the Target of an answer to it.
func Target(session, step string, visit, ask int) string {
	return fmt.Sprintf("%s/%s/%d/%d", session, step, visit, ask)
}

// EscapeKey takes the slashes out of a caller's key: a request's id is session/key, and child
// sessions have slashes in their ids.
func EscapeKey(key string) string {
	return strings.NewReplacer("%", "%25", "/", "%2F").Replace(key)
}
