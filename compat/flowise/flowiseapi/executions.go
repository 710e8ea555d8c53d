package flowiseapi

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/stepgraph/stepgraph/compat/flowise"
	"github.com/stepgraph/stepgraph/engine"
)

// An executionRecord is a session as Flowise's list of executions has it.
type executionRecord struct {
	ID            string     `json:"id"`
	ExecutionData string     `json:"executionData"` // JSON text of the entries
	State         string     `json:"state"`
	AgentflowID   string     `json:"agentflowId"`
	SessionID     string     `json:"sessionId"`
	Action        *string    `json:"action"`
	IsPublic      *bool      `json:"isPublic"`
	CreatedDate   time.Time  `json:"createdDate"`
	UpdatedDate   time.Time  `json:"updatedDate"`
	StoppedDate   *time.Time `json:"stoppedDate"`
	WorkspaceID   string     `json:"workspaceId"`
	Agentflow     *agentflow `json:"agentflow,omitempty"`
}

type agentflow struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// Words of Flowise for how an execution stands, and ours.
var executionStates = map[string][]string{
	flowise.InProgress: {engine.StatusActive, engine.StatusPaused},
	flowise.Finished:   {engine.StatusComplete},
	flowise.Stopped:    {engine.StatusAwaitingInput},
	flowise.Failed:     {engine.StatusError, engine.StatusPending},
	flowise.Terminated: {engine.StatusCancelled},
	"TIMEOUT":          {"none"}, // no session here ends so
}

const (
	executionsPage = 10
	executionsMost = 100
)

func (f *api) listExecutions(w http.ResponseWriter, r *http.Request) error {
	q := r.URL.Query()
	query := engine.SessionQuery{Labels: map[string]string{}, Status: executionStates[q.Get("state")]}
	for name, label := range map[string]string{"agentflowId": flowise.LabelFlow, "sessionId": flowise.LabelSession} {
		if value := q.Get(name); value != "" {
			query.Labels[label] = value
		}
	}
	query.Labels[flowise.LabelRun] = flowise.Format
	page, limit := max(number(q.Get("page"), 1), 1), min(max(number(q.Get("limit"), executionsPage), 1), executionsMost)
	sessions, err := f.page(r.Context(), query, (page-1)*limit, limit)
	if err != nil {
		return err
	}
	records := []executionRecord{}
	for _, s := range sessions {
		record, err := f.record(r.Context(), s.ID)
		if errors.Is(err, engine.ErrSessionNotFound) || errors.Is(err, engine.ErrWorkflowNotFound) {
			continue // deleted since
		}
		if err != nil {
			return err
		}
		records = append(records, *record)
	}
	counts, err := f.e.CountSessions(r.Context(), query, "status")
	if err != nil {
		return err
	}
	total := int64(0)
	for _, n := range counts {
		total += n
	}
	writeJSON(w, http.StatusOK, map[string]any{"data": records, "total": total})
	return nil
}

func number(text string, otherwise int) int {
	if n, err := strconv.Atoi(text); err == nil {
		return n
	}
	return otherwise
}

// page skips sessions, newest first, and returns the next ones.
func (f *api) page(ctx context.Context, q engine.SessionQuery, skip, limit int) ([]engine.Session, error) {
	var out []engine.Session
	for {
		q.Limit = skip + limit - len(out)
		list, next, err := f.e.Sessions(ctx, q)
		if err != nil {
			return nil, err
		}
		dropped := min(skip, len(list))
		skip -= dropped
		out = append(out, list[dropped:]...)
		if next == nil || len(out) >= limit {
			return out[:min(limit, len(out))], nil
		}
		q.After = *next
	}
}

func (f *api) getExecution(w http.ResponseWriter, r *http.Request) error {
	record, err := f.record(r.Context(), r.PathValue("id"))
	if errors.Is(err, engine.ErrSessionNotFound) {
		return &refusal{http.StatusNotFound, "Execution " + r.PathValue("id") + " not found"}
	}
	if err != nil {
		return err
	}
	writeJSON(w, http.StatusOK, record)
	return nil
}

func (f *api) record(ctx context.Context, id string) (*executionRecord, error) {
	run, entries, err := f.turns.read(ctx, id, nil)
	if err != nil {
		return nil, err
	}
	return executionOf(run, entries), nil
}

func executionOf(run flowise.Run, entries []flowise.Entry) *executionRecord {
	s := run.Session
	flow := s.Labels[flowise.LabelFlow]
	if flow == "" {
		flow = s.Workflow // started by other means than Flowise's
	}
	out := &executionRecord{ID: s.ID, ExecutionData: flowise.EntriesText(entries), State: flowise.State(s), AgentflowID: flow,
		SessionID: cmp.Or(s.Labels[flowise.LabelSession], s.ID), CreatedDate: s.CreatedAt.UTC(), UpdatedDate: s.UpdatedAt.UTC(),
		WorkspaceID: "default", Agentflow: &agentflow{flow, cmp.Or(run.Workflow.Name, run.Workflow.ID)}}
	if action := flowise.Action(entries); action != nil {
		text := string(action)
		out.Action = &text
	}
	if out.State == flowise.Stopped {
		stopped := s.UpdatedAt.UTC()
		out.StoppedDate = &stopped
	}
	return out
}

// abort cancels what a chat has under way.
func (f *api) abort(w http.ResponseWriter, r *http.Request) error {
	found, _, err := f.e.Sessions(r.Context(), engine.SessionQuery{Status: []string{engine.StatusActive}, Limit: executionsMost,
		Labels: map[string]string{flowise.LabelFlow: r.PathValue("id"), flowise.LabelChat: r.PathValue("chat")}})
	if err != nil {
		return err
	}
	for _, s := range found {
		_, err := f.e.Act(r.Context(), engine.Action{Session: s.ID, Kind: engine.RequestCancel, Reason: flowise.Cancelled})
		if err != nil && !errors.Is(err, engine.ErrSessionEnded) {
			return err
		}
	}
	writeJSON(w, http.StatusOK, map[string]any{"status": http.StatusOK, "message": "Chat message aborted"})
	return nil
}
