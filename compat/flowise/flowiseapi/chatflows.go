package flowiseapi

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"github.com/google/uuid"
	"github.com/stepgraph/stepgraph/compat/flowise"
	"github.com/stepgraph/stepgraph/engine"
)

// Properties of workflows that Flowise's clients made.
const (
	rowProperty     = "chatflow"   // the row, JSON text, without its flow
	textProperty    = "flow_data"  // the flow as the client sent it
	variantProperty = "variant_of" // the flow it was made of for requests that override inputs
)

// A chatflowRow is a flow as Flowise's clients have it. Fields are those of its table; what
// this server does not use is kept for them.
type chatflowRow struct {
	Name                    string          `json:"name"`
	FlowData                string          `json:"flowData"`
	Type                    string          `json:"type"`
	WorkspaceID             string          `json:"workspaceId"`
	Deployed                json.RawMessage `json:"deployed"`
	IsPublic                json.RawMessage `json:"isPublic"`
	APIKeyID                json.RawMessage `json:"apikeyid"`
	ChatbotConfig           json.RawMessage `json:"chatbotConfig"`
	APIConfig               json.RawMessage `json:"apiConfig"`
	Analytic                json.RawMessage `json:"analytic"`
	SpeechToText            json.RawMessage `json:"speechToText"`
	TextToSpeech            json.RawMessage `json:"textToSpeech"`
	FollowUpPrompts         json.RawMessage `json:"followUpPrompts"`
	Category                json.RawMessage `json:"category"`
	MCPServerConfig         json.RawMessage `json:"mcpServerConfig"`
	WebhookSecret           json.RawMessage `json:"webhookSecret"`
	WebhookSecretConfigured bool            `json:"webhookSecretConfigured"`
	ID                      string          `json:"id"`
	CreatedDate             time.Time       `json:"createdDate"`
	UpdatedDate             time.Time       `json:"updatedDate"`
	// Unsaid is ours: what flowData cannot say of the workflow as it is now, a sentence each.
	Unsaid []string `json:"editedBeyond,omitempty"`
}

// A chatflow is a stored flow.
type chatflow struct {
	chatflowRow
	workflow *engine.Workflow
}

// api is what requests may change of the flow.
func (c *chatflow) api() flowise.APIConfig {
	var text string
	_ = json.Unmarshal(c.APIConfig, &text) // no text allows nothing
	return flowise.ReadAPIConfig(text)
}

// flow finds a flow by id. One that is not there is 404, an id that can be none 400.
func (f *chatflows) flow(ctx context.Context, id string) (*chatflow, error) {
	w, err := f.e.Workflow(ctx, id)
	switch {
	case err == nil && isFlow(w):
		return chatflowOf(w), nil
	case err != nil && !errors.Is(err, engine.ErrWorkflowNotFound):
		return nil, err
	}
	if _, err := uuid.Parse(id); err != nil {
		return nil, &refusal{http.StatusBadRequest, "Invalid Chatflow ID"}
	}
	return nil, &refusal{http.StatusNotFound, "Chatflow " + id + " not found in the database!"}
}

// chatflowOf reads the row of a workflow; one that was loaded from a file has none.
func chatflowOf(w *engine.Workflow) *chatflow {
	c := &chatflow{chatflowRow{Type: "AGENTFLOW"}, w}
	if text, ok := w.Extra[rowProperty].(string); ok {
		_ = json.Unmarshal([]byte(text), &c.chatflowRow) // a user may have edited it: the readable fields count
	}
	c.ID, c.Name, c.WorkspaceID = w.ID, cmp.Or(w.Name, w.ID), "default"
	return c
}

// document is the text of the flow as it is now, which must say all of it.
func (c *chatflow) document() (string, error) {
	text, unsaid := c.closest()
	if len(unsaid) > 0 {
		return "", &refusal{http.StatusConflict, "the workflow has been edited beyond what a flow can say: " + unsaid[0]}
	}
	return text, nil
}

// closest is the text of the flow that comes closest to what it is now, and what that leaves
// out. To show a flow it must always do: one that was edited beyond what Flowise can say is
// still listed, and people still chat with it.
func (c *chatflow) closest() (text string, unsaid []string) {
	saved, _ := c.workflow.Extra[textProperty].(string)
	text, problems, err := flowise.Document(c.workflow, saved)
	if err != nil {
		return saved, []string{err.Error()}
	}
	for _, p := range problems {
		unsaid = append(unsaid, p.Message)
	}
	return text, unsaid
}

// row is the flow as clients see it.
func (c *chatflow) row() chatflowRow {
	row := c.chatflowRow
	row.FlowData, row.Unsaid = c.closest()
	return row
}

func (f *chatflows) listFlows(w http.ResponseWriter, r *http.Request) error {
	all, err := f.e.Workflows(r.Context())
	if err != nil {
		return err
	}
	rows := []chatflowRow{}
	for _, info := range all {
		found, err := f.e.Workflow(r.Context(), info.ID)
		if errors.Is(err, engine.ErrWorkflowNotFound) {
			continue // deleted since
		}
		if err != nil {
			return err
		}
		if !isFlow(found) {
			continue
		}
		row, err := f.shown(r.Context(), chatflowOf(found))
		if err != nil {
			return err
		}
		rows = append(rows, row)
	}
	writeJSON(w, http.StatusOK, rows)
	return nil
}

func (f *chatflows) getFlow(w http.ResponseWriter, r *http.Request) error {
	c, err := f.flow(r.Context(), r.PathValue("id"))
	if err != nil {
		return err
	}
	return f.writeRow(w, r, c)
}

func (f *chatflows) writeRow(w http.ResponseWriter, r *http.Request, c *chatflow) error {
	row, err := f.shown(r.Context(), c)
	if err != nil {
		return err
	}
	writeJSON(w, http.StatusOK, row)
	return nil
}

func (f *chatflows) createFlow(w http.ResponseWriter, r *http.Request) error {
	row := chatflowRow{Type: "AGENTFLOW"}
	if err := readJSON(w, r, &row); err != nil {
		return err
	}
	row.CreatedDate = time.Now().UTC().Truncate(time.Millisecond)
	row.ID = uuid.NewString()
	return f.save(w, r, row)
}

func (f *chatflows) updateFlow(w http.ResponseWriter, r *http.Request) error {
	c, err := f.flow(r.Context(), r.PathValue("id"))
	if err != nil {
		return err
	}
	row := c.chatflowRow
	row.FlowData = ""
	if err := readJSON(w, r, &row); err != nil {
		return err
	}
	if row.FlowData == "" { // kept: what it could not say would be lost
		if row.FlowData, err = c.document(); err != nil {
			return err
		}
	}
	row.Unsaid = nil
	row.ID, row.CreatedDate = c.ID, c.CreatedDate
	return f.save(w, r, row)
}

func (f *chatflows) save(w http.ResponseWriter, r *http.Request, row chatflowRow) error {
	row.UpdatedDate = time.Now().UTC().Truncate(time.Millisecond)
	// A caller who may not write the flow must not write its secrets: the flow comes first.
	bare := row
	if err := f.strip(&bare); err != nil {
		return err
	}
	workflow, err := f.compile(bare)
	if err != nil {
		return err
	}
	if _, err := f.e.Put(r.Context(), workflow, engine.PutOptions{Force: true}); err != nil {
		return err
	}
	if err := f.detach(&row); err != nil {
		return err
	}
	return f.writeRow(w, r, chatflowOf(workflow))
}

// compile makes the workflow of a row. As in Flowise a flow with faults is kept; it has no
// steps and says what is wrong with it when it is run.
func (f *chatflows) compile(row chatflowRow) (*engine.Workflow, error) {
	kept := row
	kept.FlowData = ""
	text, err := json.Marshal(kept)
	if err != nil {
		return nil, err
	}
	w := &engine.Workflow{Extra: map[string]any{"source_format": flowise.Format}}
	if file, err := flowise.Parse(row.Name+".json", []byte(row.FlowData)); err == nil {
		w = &file.Workflows[0]
	}
	w.ID, w.Name = row.ID, row.Name
	w.Extra[rowProperty], w.Extra[textProperty] = string(text), row.FlowData
	w.Normalize()
	return w, nil
}

func (f *chatflows) deleteFlow(w http.ResponseWriter, r *http.Request) error {
	c, err := f.flow(r.Context(), r.PathValue("id"))
	if err != nil {
		return err
	}
	if err := f.e.DeleteWorkflow(r.Context(), c.ID, ""); err != nil {
		return err
	}
	if err := f.dropVariants(r.Context(), c.ID, 0, ""); err != nil {
		return err
	}
	if err := f.dropSecrets(c.ID); err != nil {
		return err
	}
	writeJSON(w, http.StatusOK, map[string]any{"raw": []any{}, "affected": 1})
	return nil
}

// chatbotConfig is what a chat window asks for first: how the flow wants to be shown.
func (f *chatflows) chatbotConfig(w http.ResponseWriter, r *http.Request) error {
	c, err := f.flow(r.Context(), r.PathValue("id"))
	if err != nil {
		return err
	}
	out := map[string]any{}
	var text string
	if json.Unmarshal(c.ChatbotConfig, &text) == nil {
		_ = json.Unmarshal([]byte(text), &out) // none, or none that can be read: the window's own
	}
	out["uploads"] = map[string]any{"isSpeechToTextEnabled": false, "isImageUploadAllowed": false, "isRAGFileUploadAllowed": false,
		"imgUploadSizeAndTypes": []any{}, "fileUploadSizeAndTypes": []any{}}
	out["flowData"], _ = c.closest()
	out["isTTSEnabled"] = false
	writeJSON(w, http.StatusOK, out)
	return nil
}
