package flowiseapi

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/stepgraph/stepgraph/compat/flowise"
	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/internal/sorting"
)

// A messageRecord is a message of a conversation as Flowise's list has it.
type messageRecord struct {
	ID              string           `json:"id"`
	Role            string           `json:"role"`
	ChatflowID      string           `json:"chatflowid"`
	ExecutionID     string           `json:"executionId"`
	Content         string           `json:"content"`
	SourceDocuments any              `json:"sourceDocuments"`
	UsedTools       any              `json:"usedTools"`
	FileAnnotations any              `json:"fileAnnotations"`
	AgentReasoning  any              `json:"agentReasoning"`
	ReasonContent   any              `json:"reasonContent"`
	FileUploads     any              `json:"fileUploads"`
	Artifacts       any              `json:"artifacts"`
	Action          *string          `json:"action"`
	ChatType        string           `json:"chatType"`
	ChatID          string           `json:"chatId"`
	MemoryType      any              `json:"memoryType"`
	SessionID       string           `json:"sessionId"`
	CreatedDate     time.Time        `json:"createdDate"`
	LeadEmail       any              `json:"leadEmail"`
	FollowUpPrompts any              `json:"followUpPrompts"`
	Execution       *executionRecord `json:"execution"`
}

// messagesMost is how many messages of one run are read.
const messagesMost = 500

// listMessages answers with what was said in the runs of a flow, oldest first: those of one
// conversation (sessionId) or chat (chatId) where the query names it, the newest runs of all
// otherwise.
func (f *api) listMessages(w http.ResponseWriter, r *http.Request) error {
	c, err := f.flows.flow(r.Context(), r.PathValue("id"))
	if err != nil {
		return err
	}
	q := r.URL.Query()
	query := engine.SessionQuery{Labels: map[string]string{flowise.LabelFlow: c.ID, flowise.LabelRun: flowise.Format}}
	for name, label := range map[string]string{"sessionId": flowise.LabelSession, "chatId": flowise.LabelChat} {
		if value := q.Get(name); value != "" {
			query.Labels[label] = value
		}
	}
	runs, err := f.page(r.Context(), query, 0, executionsMost)
	if err != nil {
		return err
	}
	sorting.By(runs, byTurn)
	records := []messageRecord{}
	for i := range runs {
		said, err := f.messages(r.Context(), runs[i].ID)
		if errors.Is(err, engine.ErrSessionNotFound) || errors.Is(err, engine.ErrWorkflowNotFound) {
			continue // deleted since
		}
		if err != nil {
			return err
		}
		records = append(records, said...)
	}
	if q.Get("order") == "DESC" {
		slices.Reverse(records)
	}
	writeJSON(w, http.StatusOK, records)
	return nil
}

// messages are those of one run.
func (f *api) messages(ctx context.Context, id string) ([]messageRecord, error) {
	run, entries, err := f.turns.read(ctx, id, nil)
	if err != nil {
		return nil, err
	}
	said, err := f.e.Messages(ctx, id, engine.HistoryQuery{Limit: messagesMost})
	if err != nil {
		return nil, err
	}
	execution := executionOf(run, entries)
	var out []messageRecord
	for i, m := range flowise.Conversation(run, entries, said) {
		one := messageRecord{ID: flowise.StableID(id, "message", strconv.Itoa(i)), Role: m.Role, ChatflowID: execution.AgentflowID, ExecutionID: id,
			Content: m.Content, ChatType: "EXTERNAL", ChatID: cmp.Or(run.Session.Labels[flowise.LabelChat], execution.SessionID), SessionID: execution.SessionID,
			CreatedDate: m.At.UTC(), Execution: execution}
		if m.Asks {
			one.Action = execution.Action
		}
		out = append(out, one)
	}
	return out, nil
}
