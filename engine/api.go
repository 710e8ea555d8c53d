package engine

import (
	"encoding/json"
	"time"

	"github.com/stepgraph/stepgraph/engine/store"
)

// A Session is the view of a session that the API returns.
type Session struct {
	ID        string            `json:"id"`
	Workflow  string            `json:"workflow"`
	Status    string            `json:"status"`
	Version   int64             `json:"version"`
	CreatedAt time.Time         `json:"created_at"`
	UpdatedAt time.Time         `json:"updated_at"`
	Labels    map[string]string `json:"labels,omitempty"`
	Awaiting  []Question        `json:"awaiting"`
	// AwaitingMore is true when sessions below this one ask more than Awaiting lists.
	AwaitingMore bool             `json:"awaiting_more,omitempty"`
	Error        *SessionError    `json:"error,omitempty"`
	Problems     []SessionProblem `json:"problems,omitempty"`
	Messages     []Message        `json:"messages"`
	Accepted     *Accepted        `json:"accepted,omitempty"` // on the reply to an answer
	// Result is the result of the session: the newest output of the step without a forward path
	// that ran, or an object by step id if several such steps ran; nil before.
	Result json.RawMessage `json:"result,omitempty"`

	parent bool // a step waits for child sessions

	// after is one above the number of the newest request in the inbox when a start, an answer or an
	// action made this view; 0 for any other view. See WaitAfter.
	after int64
	rest  *store.SessionRecord // the session as it has come to rest since, if that is known already

	// Steps is the status of each step that has one; not part of the wire form.
	Steps map[string]string `json:"-"`
	// Replayed is true when the request had been made before (same key).
	Replayed bool `json:"-"`
}

// EventData marks *Session as the data of a snapshot, see Event.
func (*Session) EventData() {}

// A SessionProblem says why a step or path of a session does not go on.
type SessionProblem struct {
	Step    string   `json:"step"`
	Path    string   `json:"path,omitempty"`
	Message string   `json:"message"`
	Missing []string `json:"missing,omitempty"`
}

// A StartRequest starts a session.
type StartRequest struct {
	Workflow string            // DefaultWorkflow when empty
	Entry    string            // DefaultEntry when empty
	Inputs   json.RawMessage   // a JSON object, or nothing
	ID       string            // a UUID v7 when empty
	Labels   map[string]string // for filters
	Key      string            // idempotency key: starting twice with one key gives one session
	// Outputs are given to references as if the steps (or names) had put them out before.
	Outputs map[string]json.RawMessage
	// Seeds are outputs by step id. The first time such a step is activated, it ends with the
	// seed instead of running; its paths are followed as usual. So the output of a decision can
	// be given too.
	Seeds map[string]json.RawMessage
	// Until names steps whose paths are not followed: the session ends there.
	Until []string
	// Taken are path ids that count as taken before the session began. They are for steps with
	// join: required behind the entry that paths from before the entry also lead to.
	Taken []string
	// Messages are the chat messages with which the session begins.
	Messages []Message
}

// An AnswerRequest answers a question or an approval.
type AnswerRequest struct {
	Session string
	Step    string // "" means the question that waits longest
	Visit   int    // 0 means the newest
	Ask     int    // 0 means the newest
	// Response is any JSON value.
	Response json.RawMessage
	Key      string // idempotency key
	By       string // the person or program that answers, if known
}

// An Action steers one session. Kind determines which fields are used.
type Action struct {
	Session string
	Kind    string // RequestPause, RequestResume, RequestCancel, RequestRetry, RequestAdvance, RequestMove, RequestReask, RequestSignal, RequestRollback
	Step    string // retry, advance, reask, rollback; From of a move
	Visit   int    // rollback; 0 means the newest
	To      string // move; the compensating step of a rollback, "" for none
	Name    string // signal
	Body    json.RawMessage
	Reason  string
	NewKey  bool // retry: ask for a fresh idempotency key
	Key     string
	By      string
}
