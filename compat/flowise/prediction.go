//lint:file-ignore ST1005 clients show these texts, so they are Flowise's to the letter

package flowise

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/tidwall/gjson"
)

// A Prediction is a request to run a flow, or to resume a run that waits for a person.
type Prediction struct {
	Question   string          `json:"question"`
	Form       json.RawMessage `json:"form"` // an object; its order is that of the lines of the question
	ChatID     string          `json:"chatId"`
	SessionID  string          `json:"sessionId"` // of webhooks; elsewhere it is in Override
	Streaming  any             `json:"streaming"` // true or "true"
	History    json.RawMessage `json:"history"`
	Override   json.RawMessage `json:"overrideConfig"`
	HumanInput *HumanInput     `json:"humanInput"`
	Uploads    []Upload        `json:"uploads"`

	// Webhook is {body, headers, query} of a call that is not a prediction.
	Webhook json.RawMessage `json:"-"`
}

// An Upload is a file sent with a question. Only text is supported: Data of the type file:full
// is the text of the file.
type Upload struct {
	Type string `json:"type"`
	Name string `json:"name"`
	Data string `json:"data"`
}

// An UploadError reports a file that is not text.
type UploadError struct{ Name, Type string }

// Error names the file and the accepted types.
func (e *UploadError) Error() string {
	return fmt.Sprintf("the upload %q is of type %q: only the text of files (file:full) is taken here; images and other binary files are not read", e.Name, e.Type)
}

// Attached returns the texts of a request's files, each with its name.
func (p *Prediction) Attached() (string, error) {
	var out strings.Builder
	for _, u := range p.Uploads {
		if u.Type != "file:full" {
			return "", &UploadError{u.Name, u.Type}
		}
		fmt.Fprintf(&out, "<doc name='%s'>%s</doc>\n\n", u.Name, u.Data)
	}
	return strings.TrimSpace(out.String()), nil
}

// HumanInput is a person's answer to a run that waits.
type HumanInput struct {
	Type        string `json:"type"` // proceed, reject; anything else counts as reject
	StartNodeID string `json:"startNodeId"`
	Feedback    string `json:"feedback"`
}

// Errors of a request, in Flowise's wording.
var (
	ErrHistory = errors.New(`Invalid history format. Each history item must have: { role: "apiMessage" | "userMessage", content: string }`)
	ErrBoth    = errors.New("Question and form cannot be provided at the same time")
)

// WantsStream reports whether the answer is requested as an event stream.
func (p *Prediction) WantsStream() bool { return p.Streaming == true || p.Streaming == "true" }

// Session returns the id of the conversation: the requested one, else that of the chat.
func (p *Prediction) Session(chat string) string {
	if id := gjson.GetBytes(p.Override, "sessionId").String(); id != "" {
		return id
	}
	if p.SessionID != "" {
		return p.SessionID
	}
	return chat
}

// HasForm reports whether there are form values.
func (p *Prediction) HasForm() bool {
	form := gjson.ParseBytes(p.Form)
	return form.IsObject() && len(form.Map()) > 0
}

// FormText returns the form as lines of key: value.
func (p *Prediction) FormText() string { return formText(gjson.ParseBytes(p.Form)) }

func formText(form gjson.Result) string {
	var lines []string
	form.ForEach(func(key, value gjson.Result) bool {
		lines = append(lines, key.String()+": "+value.String())
		return true
	})
	return strings.Join(lines, "\n")
}

// Before returns the history that a request contains, as messages.
func (p *Prediction) Before() ([]ChatMessage, error) {
	history := gjson.ParseBytes(p.History)
	if !history.Exists() || history.Type == gjson.Null {
		return nil, nil
	}
	if !history.IsArray() {
		return nil, ErrHistory
	}
	out := []ChatMessage{}
	for _, one := range history.Array() {
		role, content := one.Get("role").String(), one.Get("content")
		if content.Type != gjson.String || role != "apiMessage" && role != "userMessage" {
			return nil, ErrHistory
		}
		out = append(out, ChatMessage{Role: strings.NewReplacer("apiMessage", "assistant", "userMessage", "user").Replace(role), Content: content.String()})
	}
	return out, nil
}

// A Start is how a flow begins, read from its workflow.
type Start struct {
	Node    string // id of the start node; "" when the flow has none
	Label   string
	Input   string // chatInput, formInput, webhookTrigger, scheduleInput
	Persist bool   // the state outlives the session
	Inputs  gjson.Result
}

// StartOf returns the settings of the start node of a flow's workflow.
func StartOf(w *engine.Workflow) Start {
	for i := range w.Steps {
		if node := gjson.Parse(w.Steps[i].Config); node.Get("data.name").String() == kindStart {
			in := node.Get("data.inputs")
			return Start{Node: w.Steps[i].ID, Label: node.Get("data.label").String(), Input: in.Get("startInputType").String(),
				Persist: in.Get("startPersistState").Bool(), Inputs: in}
		}
	}
	return Start{}
}

// Check returns why a flow cannot be run by a prediction, nil if it can.
func (s Start) Check(flow string, p *Prediction) error {
	switch {
	case s.Input == "":
		return errors.New("Start input type not found")
	case s.Input == "webhookTrigger" && p.Webhook == nil && p.HumanInput == nil:
		return fmt.Errorf("This flow is configured as a Webhook Trigger. Call %s /api/v1/webhook/%s instead of the prediction API.", s.Method(), flow)
	case s.Input == "scheduleInput":
		return errors.New("This flow is configured as a Scheduled Trigger. It is fired by the scheduler and cannot be invoked via the API. " +
			"Change the Start node Input Type to Chat or Form to call it from the prediction API.")
	}
	return nil
}

// Method returns the HTTP method that a webhook accepts.
func (s Start) Method() string {
	if method := s.Inputs.Get("webhookMethod").String(); method != "" {
		return strings.ToUpper(method)
	}
	return "POST"
}

// Asked returns the question of a run. For a webhook it depends on the input mode: the question
// of the request, none, or a text built from the flow's template; a space if that is empty.
func (s Start) Asked(p *Prediction) string {
	if s.Input != "webhookTrigger" {
		return p.Question
	}
	switch s.Inputs.Get("webhookInputMode").String() {
	case "payload":
		return p.Question
	case "none":
		return " "
	}
	if text := webhookText(s.Inputs.Get("webhookDefaultInput").String(), p.Webhook); text != "" {
		return text
	}
	return " "
}

// webhookText replaces {{ $webhook.path }} in a template; what leads nowhere stays.
func webhookText(template string, webhook json.RawMessage) string {
	var out strings.Builder
	for {
		before, rest, found := strings.Cut(template, "{{")
		name, after, closed := strings.Cut(rest, "}}")
		if !found || !closed {
			out.WriteString(template)
			return out.String()
		}
		out.WriteString(before)
		path, ours := strings.CutPrefix(strings.TrimSpace(name), "$webhook.")
		value := gjson.GetBytes(webhook, gjsonPath(path))
		switch {
		case ours && value.Exists() && value.Type != gjson.Null:
			out.WriteString(value.String())
		default:
			out.WriteString("{{" + name + "}}")
		}
		template = after
	}
}

// gjsonPath turns a.b[0].c-d into a path of gjson.
func gjsonPath(path string) string {
	parts := strings.Split(strings.NewReplacer("[", ".", "]", "").Replace(path), ".")
	for i, part := range parts {
		parts[i] = gjson.Escape(part)
	}
	return strings.Join(parts, ".")
}

// A Turn is the context of a run: ids, and state of the conversation.
type Turn struct {
	Flow    string // id of the chatflow
	Chat    string
	Session string
	Message string // id of the answer
	Before  []ChatMessage
	Past    []ChatMessage
	Files   string          // text of files that came along
	State   json.RawMessage // what the conversation has kept, nil for none
	Vars    json.RawMessage // all variables, with those the request overrides; nil for the configured ones
}

// Labels of sessions that predictions started, for filters.
const (
	LabelFlow    = "flowise_flow"
	LabelChat    = "flowise_chat"
	LabelSession = "flowise_session"
	LabelTurn    = "flowise_turn" // its day, and its number among those of the day
	LabelRun     = "started_by"   // Format: to tell runs of all flows from other sessions
)

// Request returns the start request for a session of a flow.
func (p *Prediction) Request(w *engine.Workflow, t Turn) engine.StartRequest {
	start := StartOf(w)
	inputs := fields{}
	question := start.Asked(p)
	if t.Files != "" {
		inputs.set("question", t.Files+"\n\n"+question)
	} else {
		inputs.set("question", question)
	}
	if p.HasForm() {
		inputs.raw("form", p.Form)
	}
	if p.Webhook != nil {
		inputs.raw("webhook", p.Webhook)
	}
	outputs := map[string]json.RawMessage{"flow": plainJSON(map[string]string{
		"sessionId": t.Session, "chatId": t.Chat, "chatflowId": t.Flow, "chatflowid": t.Flow, "apiMessageId": t.Message})}
	if len(t.Past) > 0 {
		outputs["past"] = plainJSON(t.Past)
	}
	if len(t.Before) > 0 {
		outputs["before"] = plainJSON(t.Before)
	}
	if t.Files != "" {
		outputs[valueFile], outputs[valueAsked] = plainJSON(t.Files), plainJSON(question)
	}
	if t.State != nil && start.Persist {
		outputs["state"] = t.State
	}
	if t.Vars != nil {
		outputs["vars"] = t.Vars
	}
	return engine.StartRequest{Workflow: w.ID, Inputs: inputs.object(), Outputs: outputs, Labels: map[string]string{
		LabelFlow: t.Flow, LabelChat: t.Chat, LabelSession: t.Session, LabelRun: Format}}
}

// Answer converts a person's answer for a confirm step. A type that Flowise does not know
// counts as reject and replaces a missing remark; the field word says so.
func (h HumanInput) Answer() json.RawMessage {
	switch {
	case h.Type == "proceed" || h.Type == "reject":
		return plainJSON(map[string]string{"answer": h.Type, "feedback": h.Feedback})
	case h.Feedback != "":
		return plainJSON(map[string]string{"answer": "reject", "feedback": h.Feedback})
	}
	return plainJSON(map[string]string{"answer": "reject", "feedback": h.Type, "word": h.Type})
}

// Approval converts a person's answer for an agent's approval question.
func (h HumanInput) Approval() json.RawMessage {
	return plainJSON(map[string]any{"approved": h.Type == "proceed", "reason": h.Feedback})
}

// PromptInput returns the name of the input for the first message to a flow. If the flow
// starts in another way, the error says how.
func PromptInput(w *engine.Workflow) (string, error) {
	switch StartOf(w).Input {
	case startForm:
		return "", fmt.Errorf(`workflow %q starts with a form: give its fields with --input 'form={"FIELD": VALUE}'`, w.ID)
	case startWebhook:
		return "", fmt.Errorf(`workflow %q starts with a webhook: give the request with --input 'webhook={"body": {…}}'`, w.ID)
	}
	return valueQuestion, nil
}
