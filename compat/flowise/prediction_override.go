package flowise

import (
	"encoding/json"
	"strings"

	"github.com/tidwall/gjson"
	"github.com/tidwall/sjson"
)

// An APIConfig lists what a request may change of a flow: parameters by the label of their
// node, and variables.
type APIConfig struct {
	OverrideConfig struct {
		Status    bool                    `json:"status"`
		Nodes     map[string][]allowedKey `json:"nodes"`
		Variables []allowedKey            `json:"variables"`
	} `json:"overrideConfig"`
}

type allowedKey struct {
	Name    string `json:"name"`
	Enabled bool   `json:"enabled"`
}

// ReadAPIConfig reads the apiConfig of a chatflow; an invalid one allows nothing.
func ReadAPIConfig(text string) APIConfig {
	var c APIConfig
	if json.Unmarshal([]byte(text), &c) != nil {
		return APIConfig{}
	}
	return c
}

func allows(list []allowedKey, name string) bool {
	for _, one := range list {
		if one.Name == name {
			return one.Enabled
		}
	}
	return false
}

// AllowsInput reports whether requests may change a parameter of the nodes with a label.
func (c APIConfig) AllowsInput(label, name string) bool {
	return c.OverrideConfig.Status && allows(c.OverrideConfig.Nodes[label], name)
}

// Vars returns the variables that a request changes and may change, nil for none.
func (c APIConfig) Vars(override json.RawMessage) map[string]json.RawMessage {
	if !c.OverrideConfig.Status {
		return nil
	}
	var out map[string]json.RawMessage
	gjson.GetBytes(override, "vars").ForEach(func(key, value gjson.Result) bool {
		if allows(c.OverrideConfig.Variables, key.String()) {
			if out == nil {
				out = map[string]json.RawMessage{}
			}
			out[key.String()] = json.RawMessage(value.Raw)
		}
		return true
	})
	return out
}

// Override applies the inputs in a request to a flow, as far as the chatflow allows it;
// changed is false if the document stays the same.
func (c APIConfig) Override(document string, override json.RawMessage) (out string, changed bool) {
	if !c.OverrideConfig.Status {
		return document, false
	}
	out = document
	for i, node := range gjson.Get(document, "nodes").Array() {
		label, inputs := node.Get("data.label").String(), node.Get("data.inputs")
		gjson.ParseBytes(override).ForEach(func(key, value gjson.Result) bool {
			name := key.String()
			if name == "vars" || name == "sessionId" || name == "analytics" || !c.AllowsInput(label, name) {
				return true
			}
			next, ok := overridden(node, inputs.Get(gjson.Escape(name)), value)
			if !ok || next == inputs.Get(gjson.Escape(name)).Raw {
				return true
			}
			path := "nodes." + gjson.Parse(plainNumber(i)).Raw + ".data.inputs." + gjson.Escape(name)
			if text, err := sjson.SetRaw(out, path, next); err == nil {
				out, changed = text, true
			}
			return true
		})
	}
	return out, changed
}

func plainNumber(n int) string { return string(plainJSON(n)) }

// overridden returns the new value of a parameter: lists are appended, objects merged,
// everything else is replaced. A value given by node id applies only to that node.
func overridden(node, old, value gjson.Result) (string, bool) {
	if value.IsArray() {
		if old.IsArray() {
			return appended(old, value), true
		}
		return value.Raw, true
	}
	if !value.IsObject() {
		if value.Type == gjson.Null || value.Raw == `""` || value.Raw == "false" || value.Raw == "0" {
			return "", false // Flowise keeps what it has
		}
		switch value.String() {
		case "true", "false":
			return value.String(), true
		}
		return value.Raw, true
	}
	own := value.Get(gjson.Escape(node.Get("id").String()))
	if own.Exists() {
		return merged(old, own), true
	}
	for id := range value.Map() {
		if strings.Contains(id, node.Get("data.name").String()) {
			return "", false // meant for another node of this type
		}
	}
	return merged(old, value), true
}

func appended(old, more gjson.Result) string {
	var list []json.RawMessage
	for _, one := range append(old.Array(), more.Array()...) {
		list = append(list, json.RawMessage(one.Raw))
	}
	return string(plainJSON(list))
}

// merged lays an object over an object, also over the text of one.
func merged(old, value gjson.Result) string {
	if text := old.String(); old.Type == gjson.String && strings.HasPrefix(text, "{") && gjson.Valid(text) {
		old = gjson.Parse(text)
	}
	if !old.IsObject() || !value.IsObject() {
		return value.Raw
	}
	out := old.Raw
	value.ForEach(func(key, one gjson.Result) bool {
		if text, err := sjson.SetRaw(out, gjson.Escape(key.String()), one.Raw); err == nil {
			out = text
		}
		return true
	})
	return out
}

// OverriddenState merges the request's startState into the stored state of a conversation.
func (c APIConfig) OverriddenState(start Start, state, override json.RawMessage) json.RawMessage {
	given := gjson.GetBytes(override, "startState")
	if state == nil || !given.Exists() || !c.AllowsInput(start.Label, "startState") {
		return state
	}
	out := string(state)
	lay := func(key, value gjson.Result) bool {
		if text, err := sjson.SetRaw(out, gjson.Escape(key.String()), value.Raw); err == nil && key.String() != "" && value.Exists() {
			out = text
		}
		return true
	}
	if given.IsObject() {
		given.ForEach(lay)
		return json.RawMessage(out)
	}
	for _, one := range given.Array() {
		lay(one.Get("key"), one.Get("value"))
	}
	return json.RawMessage(out)
}
