package api

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/stepgraph/stepgraph/engine"
)

// StartBody is what starts a session.
type StartBody struct {
	Workflow string            `json:"workflow,omitempty" doc:"default when left out" example:"conversation"`
	Entry    string            `json:"entry,omitempty" doc:"the step to begin at; root when left out"`
	Inputs   json.RawMessage   `json:"inputs,omitempty" doc:"an object, the output of the step named initial; each key is also that of a step of its name"`
	ID       string            `json:"id,omitempty" maxLength:"200" doc:"a UUID v7 when left out"`
	Labels   map[string]string `json:"labels,omitempty" doc:"for filters"`

	Outputs  map[string]json.RawMessage `json:"outputs,omitempty" doc:"by name: given to references as if steps had put them out before"`
	Seeds    map[string]json.RawMessage `json:"seeds,omitempty" doc:"by step: it ends with this output instead of running, the first time it is activated; its paths are followed"`
	Until    []string                   `json:"until,omitempty" doc:"steps whose paths are not followed: the session goes up to them"`
	Taken    []string                   `json:"taken,omitempty" doc:"ids of paths that count as taken before, for steps with join: required"`
	Messages []StartMessage             `json:"messages,omitempty" doc:"the chat so far"`
}

// A StartMessage is one message of the chat with which a session begins.
type StartMessage struct {
	Role    string `json:"role" enum:"user,assistant"`
	Content string `json:"content"`
}

// Request is the start that the body of an idempotency key asks for.
func (b *StartBody) Request(key string) engine.StartRequest {
	q := engine.StartRequest{Workflow: b.Workflow, Entry: b.Entry, Inputs: b.Inputs, ID: b.ID, Labels: b.Labels, Key: key,
		Outputs: b.Outputs, Seeds: b.Seeds, Until: b.Until, Taken: b.Taken}
	for _, m := range b.Messages {
		q.Messages = append(q.Messages, engine.Message{Role: m.Role, Content: m.Content})
	}
	return q
}

// StartBodyOf is the body that asks for a start.
func StartBodyOf(q engine.StartRequest) StartBody {
	b := StartBody{Workflow: q.Workflow, Entry: q.Entry, Inputs: q.Inputs, ID: q.ID, Labels: q.Labels,
		Outputs: q.Outputs, Seeds: q.Seeds, Until: q.Until, Taken: q.Taken}
	for _, m := range q.Messages {
		b.Messages = append(b.Messages, StartMessage{Role: m.Role, Content: m.Content})
	}
	return b
}

type startIn struct {
	Waiting
	Keyed
	Body StartBody
}

// SessionFilter says which sessions.
type SessionFilter struct {
	Status        []string  `query:"status,explode" doc:"one or several, by comma or repeated"`
	Workflow      string    `query:"workflow"`
	Awaiting      bool      `query:"awaiting" doc:"true: only those with an open question"`
	Step          string    `query:"step" doc:"with a question open at this step"`
	Q             string    `query:"q" doc:"a text that the state contains"`
	Label         []string  `query:"label,explode" doc:"name=value, may be repeated" example:"[\"team=blue\"]"`
	Root          string    `query:"root" doc:"this session and all that descend from it"`
	CreatedAfter  time.Time `query:"created_after"`
	CreatedBefore time.Time `query:"created_before"`
	WaitingBefore time.Time `query:"waiting_before" doc:"with a question asked before this"`
}

type listIn struct {
	SessionFilter
	Paged
}

type countIn struct {
	SessionFilter
	Cursor string `query:"cursor" doc:"next of the answer before: counts what that has not looked at"`
	By     string `query:"by" default:"status" doc:"status, workflow, both (workflow,status), or step: open questions by workflow/step"`
}

// Counts is how many sessions there are of each kind.
type Counts struct {
	By     string           `json:"by" example:"status"`
	Total  int64            `json:"total" doc:"sum of the counts"`
	Counts map[string]int64 `json:"counts" doc:"by status, workflow, workflow and status (with a comma between), or workflow/step"`
	Next   string           `json:"next,omitempty" doc:"there are sessions that were not looked at: the cursor of the count of those, to be added to this one"`
	Looked int              `json:"looked,omitempty" doc:"sessions looked at, where they had to be looked at one after the other"`
}

type sessionIn struct {
	Session string `path:"session"`
}

type getIn struct {
	AtSession
	Waiting
}

type deleteIn struct {
	AtSession
	Cancel bool `query:"cancel" doc:"true: one that has not ended is cancelled first"`
}

// AtSession is embedded by what is addressed by a session.
type AtSession struct {
	Session string `path:"session"`
}

const searchAbout = "If a text or labels have to be searched session by session, an answer has the matches of about 60 ms, which may be none; the search continues at `next`."

func (r *sessionRoutes) registerSessions() {
	register(r.routeTable, operation{id: "startSession", method: http.MethodPost, path: "/api/v1/sessions", tag: tagSessions, status: http.StatusCreated,
		summary: "Start a session of a workflow", about: "Answers 201 as soon as the session is durable; with ?wait= at its next pause or end.",
		problems: []string{"workflow_not_found", "no_entry", "step_not_found", "session_exists", "overloaded"}}, r.start)
	register(r.routeTable, operation{id: "listSessions", method: http.MethodGet, path: "/api/v1/sessions", tag: tagSessions,
		summary: "List sessions, the newest first", about: searchAbout, problems: []string{"bad_request"}}, r.list)
	register(r.routeTable, operation{id: "countSessions", method: http.MethodGet, path: "/api/v1/sessions/count", tag: tagSessions,
		summary: "Count sessions", about: searchAbout, problems: []string{"bad_request"}}, r.count)
	register(r.routeTable, operation{id: "getSession", method: http.MethodGet, path: "/api/v1/sessions/{session}", tag: tagSessions,
		summary: "Read a session", about: "With ?wait= it responds when the session is idle or has ended.", problems: []string{"session_not_found"}}, r.get)
	register(r.routeTable, operation{id: "deleteSession", method: http.MethodDelete, path: "/api/v1/sessions/{session}", tag: tagSessions,
		summary: "Remove a session with all its history", problems: []string{"session_not_found", "session_busy"}}, r.delete)
}

func (r *sessionRoutes) start(ctx context.Context, in *startIn) (*sessionOut, error) {
	wait, err := parseWait(in.Wait)
	if err != nil {
		return nil, err
	}
	session, err := r.e.Start(ctx, in.Body.Request(in.Key))
	if err != nil {
		return nil, err
	}
	if session, err = r.wait(ctx, session, wait); err != nil {
		return nil, err
	}
	out := answerWith(session)
	out.Location = "sessions/" + url.PathEscape(session.ID) // relative: right below any prefix
	return out, nil
}

func (r *sessionRoutes) list(ctx context.Context, in *listIn) (*foundOut[Session], error) {
	q, err := in.query()
	if err != nil {
		return nil, err
	}
	at, err := readCursor("sessions", in.Cursor)
	if err != nil {
		return nil, err
	}
	q.Limit, q.After = in.Limit, engine.Cursor{At: at.At, ID: at.ID}
	page, err := r.e.Search(ctx, q)
	if err != nil {
		return nil, err
	}
	items := make([]Session, len(page.Sessions))
	for i := range page.Sessions {
		items[i] = sessionOf(&page.Sessions[i])
	}
	return foundOf(items, rowCursor("sessions", page.Next), page.Looked), nil
}

func (r *sessionRoutes) count(ctx context.Context, in *countIn) (*struct{ Body Counts }, error) {
	q, err := in.query()
	if err != nil {
		return nil, err
	}
	if !slices.Contains([]string{"status", "workflow", "workflow,status", "step"}, in.By) {
		return nil, problem("request_invalid", "", Fault{Parameter: "by", Message: fmt.Sprintf("is %q, want status, workflow, \"workflow,status\" or step", in.By)})
	}
	at, err := readCursor("count", in.Cursor)
	if err != nil {
		return nil, err
	}
	q.After = engine.Cursor{At: at.At, ID: at.ID}
	found, err := r.e.SearchCount(ctx, q, in.By)
	if err != nil {
		return nil, err
	}
	out := Counts{By: in.By, Counts: found.Counts, Next: rowCursor("count", found.Next), Looked: found.Looked}
	for _, n := range found.Counts {
		out.Total += n
	}
	return &struct{ Body Counts }{out}, nil
}

func (r *sessionRoutes) get(ctx context.Context, in *getIn) (*sessionOut, error) {
	wait, err := parseWait(in.Wait)
	if err != nil {
		return nil, err
	}
	session, err := r.e.Session(ctx, in.Session)
	if err != nil {
		return nil, err
	}
	if session, err = r.wait(ctx, session, wait); err != nil {
		return nil, err
	}
	return answerWith(session), nil
}

func (r *sessionRoutes) delete(ctx context.Context, in *deleteIn) (*empty, error) {
	return nil, r.e.DeleteSession(ctx, in.Session, in.Cancel)
}

var statuses = []string{engine.StatusActive, engine.StatusAwaitingInput, engine.StatusPending, engine.StatusPaused,
	engine.StatusComplete, engine.StatusError, engine.StatusCancelled}

// query is the filter as the engine takes it.
func (f *SessionFilter) query() (engine.SessionQuery, error) {
	q := engine.SessionQuery{Workflow: f.Workflow, Awaiting: f.Awaiting, Step: f.Step, Text: f.Q, Root: f.Root,
		CreatedAfter: f.CreatedAfter, CreatedBefore: f.CreatedBefore, WaitingBefore: f.WaitingBefore}
	for _, list := range f.Status {
		for status := range strings.SplitSeq(list, ",") {
			status = strings.TrimSpace(status)
			if text := noStatus(status); text != "" {
				return q, problem("request_invalid", "", Fault{Parameter: "status", Message: text})
			}
			q.Status = append(q.Status, status)
		}
	}
	for _, label := range f.Label {
		name, value, ok := strings.Cut(label, "=")
		if !ok || name == "" {
			return q, problem("request_invalid", "", Fault{Parameter: "label", Message: fmt.Sprintf("is %q, want name=value", label)})
		}
		if q.Labels == nil {
			q.Labels = map[string]string{}
		}
		q.Labels[name] = value
	}
	return q, nil
}

// noStatus says that a text is not a status of a session; "" when it is one.
func noStatus(text string) string {
	if slices.Contains(statuses, text) {
		return ""
	}
	return fmt.Sprintf("%q is not a status; there are %s", text, strings.Join(statuses, ", "))
}
