package api

import (
	"encoding/json"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/stepgraph/stepgraph/engine"
)

// A Batch is a batch as clients see it.
type Batch struct {
	ID        string    `json:"id"`
	Action    string    `json:"action" example:"answer"`
	Status    string    `json:"status" enum:"running,complete,stopped"`
	DryRun    bool      `json:"dry_run,omitempty" doc:"nothing is done; the results say what would be"`
	Total     int64     `json:"total" doc:"items"`
	Done      int64     `json:"done"`
	Failed    int64     `json:"failed"`
	Message   string    `json:"message,omitempty" doc:"why it stopped"`
	CreatedAt time.Time `json:"created_at"`
	UpdatedAt time.Time `json:"updated_at"`
	Results   string    `json:"results" doc:"where its results are" example:"/api/v1/batches/0192/results"`
}

func batchOf(b *engine.Batch) Batch {
	out := Batch{ID: b.ID, Action: b.Action, Status: b.Phase, Total: b.Total, Done: b.Done, Failed: b.Failed, Message: b.Message,
		CreatedAt: b.CreatedAt.UTC(), UpdatedAt: b.UpdatedAt.UTC(), Results: "/api/v1/batches/" + b.ID + "/results"}
	if b.Phase == engine.BatchCollecting || b.Phase == engine.BatchPinning {
		out.Status = engine.BatchRunning
	}
	var o engine.BatchOptions
	if json.Unmarshal(b.Options, &o) == nil { // the worker stops a batch whose options cannot be read, and says so
		out.DryRun = o.DryRun
	}
	return out
}

// BatchBody asks for one action on the sessions of a filter, or on those named.
type BatchBody struct {
	Action string          `json:"action" enum:"answer,resume,pause,cancel,retry,advance,move,reask,rollback,signal,delete"`
	Filter *BatchFilter    `json:"filter,omitempty" doc:"all sessions that fit it when the batch is started, each once; instead of items"`
	Items  []BatchItem     `json:"items,omitempty" doc:"instead of filter"`
	DryRun bool            `json:"dry_run,omitempty" doc:"true: nothing is done; the results say what each session would do, with the graph of now: inputs are resolved, conditions judged, pure steps run"`
	Rate   float64         `json:"rate,omitempty" minimum:"0" doc:"at most so many items a second; as fast as they go when left out"`
	First  int             `json:"first,omitempty" minimum:"0" doc:"only so many items; all when left out"`
	Stop   int             `json:"stop_after_failures,omitempty" minimum:"0" doc:"stop when so many items have failed; never when left out"`
	Answer json.RawMessage `json:"response,omitempty" doc:"answer: any JSON, for items without a response of their own; signal: what it carries"`
	Step   string          `json:"step,omitempty" doc:"the step acted on, for items that name none: whose question is answered, that is retried, advanced, asked again, moved from or gone back to before"`
	Visit  int             `json:"visit,omitempty" minimum:"0" doc:"rollback: to before visit of the step; the newest by default"`
	To     string          `json:"to,omitempty" doc:"move: the step that is activated; rollback: a step that runs before, to undo outside what the session cannot"`
	Name   string          `json:"name,omitempty" doc:"signal: what the sessions wait for"`
	Reason string          `json:"reason,omitempty" maxLength:"10000"`
	NewKey bool            `json:"new_key,omitempty" doc:"retry: call under a fresh idempotency key"`
	Cancel bool            `json:"cancel,omitempty" doc:"delete: end what has not ended first"`
}

func (b *BatchBody) options() engine.BatchOptions {
	return engine.BatchOptions{Response: b.Answer, Step: b.Step, Visit: b.Visit, To: b.To, Name: b.Name, Reason: b.Reason, NewKey: b.NewKey,
		Cancel: b.Cancel, DryRun: b.DryRun, Rate: b.Rate, First: b.First, StopAfterFailures: b.Stop}
}

// BatchQuery is the same in the query, for items that come as NDJSON.
type BatchQuery struct {
	Action string  `query:"action" doc:"for NDJSON, as all of these; a JSON body says them itself"`
	DryRun bool    `query:"dry_run"`
	Rate   float64 `query:"rate" minimum:"0"`
	First  int     `query:"first" minimum:"0"`
	Stop   int     `query:"stop_after_failures" minimum:"0"`
	Answer string  `query:"response" doc:"JSON; what is none counts as a text"`
	Step   string  `query:"step"`
	Visit  int     `query:"visit" minimum:"0"`
	To     string  `query:"to"`
	Name   string  `query:"name"`
	Reason string  `query:"reason" maxLength:"10000"`
	NewKey bool    `query:"new_key"`
	Cancel bool    `query:"cancel"`
}

func (q *BatchQuery) options() engine.BatchOptions {
	o := engine.BatchOptions{Step: q.Step, Visit: q.Visit, To: q.To, Name: q.Name, Reason: q.Reason, NewKey: q.NewKey, Cancel: q.Cancel,
		DryRun: q.DryRun, Rate: q.Rate, First: q.First, StopAfterFailures: q.Stop}
	switch text := []byte(q.Answer); {
	case q.Answer == "":
	case json.Valid(text):
		o.Response = text
	default:
		o.Response, _ = json.Marshal(q.Answer) // a text always has a JSON form
	}
	return o
}

// BatchFilter says which sessions: those of the list of sessions with the same filter.
type BatchFilter struct {
	Status        oneOrMany         `json:"status,omitempty" doc:"a status or a list of them"`
	Workflow      string            `json:"workflow,omitempty"`
	Awaiting      bool              `json:"awaiting,omitempty" doc:"true: only those with an open question; always so for answer"`
	Step          string            `json:"step,omitempty" doc:"with a question open at this step"`
	Q             string            `json:"q,omitempty" doc:"a text that the state contains"`
	Labels        map[string]string `json:"labels,omitempty"`
	Root          string            `json:"root,omitempty" doc:"this session and all that descend from it"`
	CreatedAfter  time.Time         `json:"created_after,omitzero"`
	CreatedBefore time.Time         `json:"created_before,omitzero"`
	WaitingBefore time.Time         `json:"waiting_before,omitzero" doc:"with a question asked before this"`
}

func (f *BatchFilter) query() (*engine.SessionQuery, error) {
	q := &engine.SessionQuery{Status: f.Status, Workflow: f.Workflow, Awaiting: f.Awaiting, Step: f.Step, Text: f.Q, Labels: f.Labels,
		Root: f.Root, CreatedAfter: f.CreatedAfter, CreatedBefore: f.CreatedBefore, WaitingBefore: f.WaitingBefore}
	for _, status := range f.Status {
		if text := noStatus(status); text != "" {
			return nil, problem("request_invalid", "", Fault{Pointer: "/filter/status", Message: text})
		}
	}
	return q, nil
}

// oneOrMany is a list that may be sent as its only element.
type oneOrMany []string

// UnmarshalJSON reads a text or a list of texts.
func (l *oneOrMany) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] == '"' {
		*l = make(oneOrMany, 1)
		return json.Unmarshal(b, &(*l)[0])
	}
	return json.Unmarshal(b, (*[]string)(l))
}

// Schema says so to clients.
func (oneOrMany) Schema(huma.Registry) *huma.Schema {
	text := &huma.Schema{Type: huma.TypeString}
	return &huma.Schema{AnyOf: []*huma.Schema{text, {Type: huma.TypeArray, Items: text}}}
}

// A BatchItem is one session of a batch: an item as it is sent, or its result. Of a
// result that is sent as an item, what became of it is not looked at.
type BatchItem struct {
	N        int64           `json:"n,omitempty" doc:"results only: 1, 2, …"`
	Session  string          `json:"session" minLength:"1"`
	Step     string          `json:"step,omitempty" doc:"the step acted on; in a result also the one whose question the item was bound to"`
	Visit    int             `json:"visit,omitempty" doc:"results only"`
	Ask      int             `json:"ask,omitempty" doc:"results only"`
	Response json.RawMessage `json:"response,omitempty" doc:"any JSON; that of the batch when left out"`
	Outcome  string          `json:"outcome,omitempty" doc:"results only: done, failed, or open while nothing has been done"`
	Error    string          `json:"error,omitempty" doc:"results only: why it failed"`
	Would    json.RawMessage `json:"would,omitempty" doc:"results of a dry run only: what the session would do"`
}
