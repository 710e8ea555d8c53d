package flowise

import (
	"encoding/json"
	"testing"

	"github.com/tidwall/gjson"
)

const overridable = `{"overrideConfig": {"status": true, "variables": [{"name": "who", "enabled": true}, {"name": "what", "enabled": false}],
	"nodes": {"One": [{"name": "text", "enabled": true}, {"name": "list", "enabled": true}, {"name": "object", "enabled": true}, {"name": "closed", "enabled": false}]}}}`

func TestOverride(t *testing.T) {
	document := `{"nodes": [
		{"id": "x_0", "data": {"id": "x_0", "name": "x", "label": "One", "inputs": {"text": "a", "list": [{"k": 1}], "object": "{\"a\": 1}", "closed": "c"}}},
		{"id": "x_1", "data": {"id": "x_1", "name": "x", "label": "Two", "inputs": {"text": "a"}}}]}`
	for override, want := range map[string]string{
		`{"text": "b"}`:                      `{"text":"b"}`,
		`{"text": "true"}`:                   `{"text":true}`,
		`{"text": ""}`:                       `{"text":"a"}`,
		`{"text": {"x_0": "b", "x_1": "c"}}`: `{"text":"b"}`,
		`{"text": {"x_1": "b"}}`:             `{"text":"a"}`,
		`{"list": [{"k": 2}]}`:               `{"list":[{"k":1},{"k":2}]}`,
		`{"list": {"x_0": [{"k": 2}]}}`:      `{"list":[{"k":2}]}`,
		`{"object": {"b": 2}}`:               `{"object":{"a":1,"b":2}}`,
		`{"closed": "b"}`:                    `{"closed":"c"}`,
		`{"new": "b"}`:                       `{}`,
	} {
		got, changed := ReadAPIConfig(overridable).Override(document, json.RawMessage(override))
		inputs := gjson.Get(got, "nodes.0.data.inputs")
		gjson.Parse(want).ForEach(func(key, value gjson.Result) bool {
			if one := compacted(inputs.Get(key.String()).Raw); one != value.Raw {
				t.Errorf("%s: %s is %s, want %s", override, key, one, value.Raw)
			}
			return true
		})
		if changed != (got != document) {
			t.Errorf("%s: changed is %v", override, changed)
		}
		if inputs.Get("new").Exists() || gjson.Get(got, "nodes.1.data.inputs").Raw != gjson.Get(document, "nodes.1.data.inputs").Raw {
			t.Errorf("%s changed what may not be changed: %s", override, got)
		}
	}
	if _, changed := ReadAPIConfig(`{"overrideConfig": {"status": false}}`).Override(document, json.RawMessage(`{"text": "b"}`)); changed {
		t.Error("a chatflow that allows nothing was changed")
	}
	if got := ReadAPIConfig(overridable).Vars(json.RawMessage(`{"vars": {"who": "me", "what": "x", "other": 1}}`)); len(got) != 1 || string(got["who"]) != `"me"` {
		t.Errorf("variables: %v", got)
	}
}

func compacted(text string) string { return string(plainJSON(json.RawMessage(text))) }

// What cannot be read allows nothing.
func TestAPIConfigFaults(t *testing.T) {
	for _, text := range []string{"", "null", "[]", `{"overrideConfig": 1}`} {
		if c := ReadAPIConfig(text); c.OverrideConfig.Status {
			t.Errorf("%q allows", text)
		}
	}
}
