package retention

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"time"

	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/engine/store"
)

// A Line is one line of a session's document: one of its fields is set. The first line is the
// session, the last one its end.
type Line struct {
	Session   *Session          `json:"session,omitempty"`
	Execution *store.Execution  `json:"execution,omitempty"`
	Message   *function.Message `json:"message,omitempty"`
	Request   *store.Request    `json:"request,omitempty"`
	Blob      *Blob             `json:"blob,omitempty"`
	Result    *Result           `json:"result,omitempty"`
	End       string            `json:"end,omitempty"` // the session's id
}

// A Session is a SESSION as it was stored.
type Session struct {
	ID        string            `json:"id"`
	Workflow  string            `json:"workflow"`
	Status    string            `json:"status"`
	Version   int64             `json:"version"`
	Inbox     int64             `json:"inbox"`
	CreatedAt time.Time         `json:"created_at"`
	UpdatedAt time.Time         `json:"updated_at"`
	Root      string            `json:"root,omitempty"`
	Labels    map[string]string `json:"labels,omitempty"`
	State     json.RawMessage   `json:"state"`
	Counters  json.RawMessage   `json:"counters,omitempty"`
}

// A Blob is an output that was too large for the state.
type Blob struct {
	Hash string `json:"hash"`
	Text string `json:"text"`
}

// A Result is the output of one round of a container.
type Result struct {
	Step   string          `json:"step"`
	Visit  int             `json:"visit"`
	Index  int             `json:"index"`
	Output json.RawMessage `json:"output"`
}

// A Reader is what a document is read from.
type Reader interface {
	store.History
	Session(ctx context.Context, id string) (*store.SessionRecord, error)
}

// documentPage is how many rows of a history are in memory at once.
const documentPage = 200

// hashes finds the outputs that the state refers to.
var hashes = regexp.MustCompile(`"@(?:blob|kept)"\s*:\s*"([0-9a-f]{32})"`)

// WriteDocument writes all there is of a session as lines of JSON. rounds reports whether a function
// leaves results of rounds, see function.Spec.Rounds; nil looks for results of every step.
// store.ErrSessionNotFound.
func WriteDocument(ctx context.Context, from Reader, rounds func(function string) bool, id string, w io.Writer) error {
	rec, err := from.Session(ctx, id)
	if err != nil {
		return err
	}
	if rounds == nil {
		rounds = func(string) bool { return true }
	}
	d := document{ctx: ctx, from: from, rounds: rounds, id: id, to: json.NewEncoder(w)}
	d.to.SetEscapeHTML(false)
	for _, part := range []func(*store.SessionRecord) error{d.session, d.executions, d.messages, d.requests, d.blobs} {
		if err := part(rec); err != nil {
			return err
		}
	}
	return d.to.Encode(Line{End: id})
}

type document struct {
	ctx    context.Context
	from   Reader
	rounds func(function string) bool
	id     string
	to     *json.Encoder
}

// jsonOrString is a JSON text as it is, any other text as a JSON string.
func jsonOrString(text []byte) json.RawMessage {
	if len(text) == 0 {
		return nil
	}
	if json.Valid(text) {
		return text
	}
	b, _ := json.Marshal(string(text))
	return b
}

func (d *document) session(rec *store.SessionRecord) error {
	return d.to.Encode(Line{Session: &Session{ID: rec.ID, Workflow: rec.Workflow, Status: rec.Status, Version: rec.Version, Inbox: rec.Inbox,
		CreatedAt: rec.CreatedAt, UpdatedAt: rec.UpdatedAt, Root: rec.Root, Labels: rec.Labels, State: jsonOrString(rec.State), Counters: jsonOrString(rec.Counters)}})
}

func (d *document) executions(*store.SessionRecord) error {
	q := store.HistoryQuery{Limit: documentPage, Lineage: true}
	seen := map[string]bool{}
	for {
		list, err := d.from.Executions(d.ctx, d.id, q)
		if err != nil {
			return err
		}
		for i := range list {
			x := &list[i]
			if err := d.to.Encode(Line{Execution: x}); err != nil {
				return err
			}
			if key := fmt.Sprint(x.Step, "/", x.Visit); d.rounds(x.Function) && !seen[key] {
				seen[key] = true
				if err := d.results(x); err != nil {
					return err
				}
			}
		}
		if len(list) < q.Limit {
			return nil
		}
		q.After = list[len(list)-1].Seq
	}
}

func (d *document) results(x *store.Execution) error {
	list, err := d.from.Results(d.ctx, d.id, x.Step, x.Visit)
	for i := 0; i < len(list) && err == nil; i++ {
		err = d.to.Encode(Line{Result: &Result{Step: x.Step, Visit: x.Visit, Index: list[i].Index, Output: jsonOrString(list[i].Output)}})
	}
	return err
}

func (d *document) messages(*store.SessionRecord) error {
	for q := (store.HistoryQuery{Limit: documentPage}); ; {
		list, err := d.from.Messages(d.ctx, d.id, q)
		if err != nil {
			return err
		}
		for i := range list {
			if err := d.to.Encode(Line{Message: &list[i]}); err != nil {
				return err
			}
		}
		if len(list) < q.Limit {
			return nil
		}
		q.After = list[len(list)-1].N
	}
}

func (d *document) requests(*store.SessionRecord) error {
	for q := (store.HistoryQuery{Limit: documentPage}); ; {
		list, err := d.from.AllRequests(d.ctx, d.id, q)
		if err != nil {
			return err
		}
		for i := range list {
			if err := d.to.Encode(Line{Request: &list[i]}); err != nil {
				return err
			}
		}
		if len(list) < q.Limit {
			return nil
		}
		q.After = list[len(list)-1].N
	}
}

func (d *document) blobs(rec *store.SessionRecord) error {
	done := map[string]bool{}
	for _, match := range hashes.FindAllSubmatch(rec.State, -1) {
		hash := string(match[1])
		if done[hash] {
			continue
		}
		done[hash] = true
		found, err := d.from.Blobs(d.ctx, d.id, []string{hash})
		if err != nil {
			return err
		}
		if text, ok := found[hash]; ok {
			if err := d.to.Encode(Line{Blob: &Blob{Hash: hash, Text: string(text)}}); err != nil {
				return err
			}
		}
	}
	return nil
}

// A Document is all there is of a session.
type Document struct {
	Session    *Session           `json:"session"`
	Executions []store.Execution  `json:"executions"`
	Messages   []function.Message `json:"messages"`
	Requests   []store.Request    `json:"requests"`
	Blobs      []Blob             `json:"blobs,omitempty"`
	Results    []Result           `json:"results,omitempty"`
}

// Assemble puts the lines of a document together.
func Assemble(lines []Line) *Document {
	d := &Document{Executions: []store.Execution{}, Messages: []function.Message{}, Requests: []store.Request{}}
	for i := range lines {
		switch l := &lines[i]; {
		case l.Session != nil:
			d.Session = l.Session
		case l.Execution != nil:
			d.Executions = append(d.Executions, *l.Execution)
		case l.Message != nil:
			d.Messages = append(d.Messages, *l.Message)
		case l.Request != nil:
			d.Requests = append(d.Requests, *l.Request)
		case l.Blob != nil:
			d.Blobs = append(d.Blobs, *l.Blob)
		case l.Result != nil:
			d.Results = append(d.Results, *l.Result)
		}
	}
	return d
}
