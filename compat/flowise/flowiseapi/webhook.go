package flowiseapi

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"

	"github.com/stepgraph/stepgraph/compat/flowise"
	"github.com/stepgraph/stepgraph/compat/internal/wire"
)

// webhook runs a flow that begins with a webhook: what was sent is what its nodes read.
func (f *api) webhook(w http.ResponseWriter, r *http.Request) error {
	flow, err := f.flows.flow(r.Context(), r.PathValue("id"))
	if err != nil {
		return err
	}
	start := flowise.StartOf(flow.workflow)
	if start.Input != "webhookTrigger" {
		return &refusal{http.StatusNotFound, "Chatflow " + flow.ID + " is not configured as a webhook trigger"}
	}
	if method := start.Method(); r.Method != method {
		return &refusal{http.StatusMethodNotAllowed, "Method " + r.Method + " not allowed. Expected " + method}
	}
	text, err := wire.ReadBody(w, r, wire.FlowLimit)
	if err != nil {
		return &refusal{http.StatusBadRequest, err.Error()}
	}
	kind := r.Header.Get("Content-Type")
	want := start.Inputs.Get("webhookContentType").String()
	if want != "" && len(text) > 0 && !strings.HasPrefix(kind, want) {
		return &refusal{http.StatusUnsupportedMediaType, "Content-Type " + cmp.Or(kind, "undefined") + " not allowed. Expected " + want}
	}
	secret, err := f.secretOf(flow)
	if err != nil {
		return err
	}
	if err := start.Trusts(r.Header, text, secret); err != nil {
		return &refusal{http.StatusUnauthorized, err.Error()}
	}
	p, err := webhookCall(r, kind, text)
	if err != nil {
		return err
	}
	if err := start.CheckCall(p.Webhook); p.HumanInput == nil && err != nil {
		return &refusal{http.StatusBadRequest, err.Error()}
	}
	t := newTurn(flow, p)
	switch start.Inputs.Get("webhookResponseMode").String() {
	case "stream":
		return f.turns.stream(w, r, t)
	case "async":
		if err := f.turns.begin(context.WithoutCancel(r.Context()), t); err != nil {
			return err
		}
		writeJSON(w, http.StatusAccepted, map[string]string{"chatId": t.chat, "status": "PROCESSING"})
		return nil
	}
	return f.turns.reply(w, r, t)
}

// secretOf is the secret that callers of a flow's webhook sign with, "" for none.
func (f *api) secretOf(c *chatflow) (string, error) {
	var secret string
	_ = json.Unmarshal(c.WebhookSecret, &secret) // none
	if secret != "" {                            // of a row that was stored before secrets were kept apart
		return secret, nil
	}
	return f.flows.secret(webhookSecret, c.ID)
}

// webhookCall makes a run of a call: {body, headers, query}, and what the body says of the
// conversation.
func webhookCall(r *http.Request, kind string, text []byte) (*flowise.Prediction, error) {
	body := json.RawMessage(text)
	switch {
	case strings.HasPrefix(kind, "application/x-www-form-urlencoded"):
		values, err := url.ParseQuery(string(text))
		if err != nil {
			return nil, &refusal{http.StatusBadRequest, "the body is not a form: " + err.Error()}
		}
		if payload := values.Get("payload"); json.Valid([]byte(payload)) {
			body = json.RawMessage(payload) // GitHub sends its JSON so
		} else {
			body = flat(values)
		}
	case len(text) == 0:
		body = json.RawMessage("{}")
	case !json.Valid(text):
		if strings.HasPrefix(kind, "application/json") {
			return nil, &refusal{http.StatusBadRequest, "the body is not valid JSON"}
		}
		body, _ = json.Marshal(string(text)) // a text always encodes
	}
	p := &flowise.Prediction{}
	_ = json.Unmarshal(body, p) // the rest of the payload is not checked
	*p = flowise.Prediction{ChatID: p.ChatID, SessionID: p.SessionID, HumanInput: p.HumanInput}
	var err error
	p.Webhook, err = json.Marshal(map[string]json.RawMessage{"body": body, "headers": flatHeaders(r), "query": flat(r.URL.Query())})
	return p, err
}

// flat is a form or query by name, a list where a name stands several times.
func flat(values url.Values) json.RawMessage {
	out := make(map[string]any, len(values))
	for name, list := range values {
		out[name] = list
		if len(list) == 1 {
			out[name] = list[0]
		}
	}
	text, _ := json.Marshal(out) // texts always encode
	return text
}

// privateHeaders are not shown to flows.
var privateHeaders = map[string]bool{"authorization": true, "cookie": true, "x-api-key": true, "proxy-authorization": true}

func flatHeaders(r *http.Request) json.RawMessage {
	out := map[string]string{"host": r.Host}
	for name, list := range r.Header {
		if name = strings.ToLower(name); !privateHeaders[name] {
			out[name] = strings.Join(list, ", ")
		}
	}
	text, _ := json.Marshal(out) // texts always encode
	return text
}
