package models_test

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/stepgraph/stepgraph/models"
)

func TestObject(t *testing.T) {
	schema := json.RawMessage(`{}`)
	for text, want := range map[string]string{
		`{"a": 1.0}`: `{"a":1.0}`, ` [1, 2] `: `[1,2]`, `3`: `3`, ``: ``, `hello`: ``, `{"a": 1} and more`: ``,
		"```json\n{\"a\": 1}\n```": `{"a":1}`, "```\n[]\n```": `[]`, "```json\nno\n```": ``, "```": ``,
	} {
		if got := string(models.Object(schema, text)); got != want {
			t.Errorf("%q: got %s, want %s", text, got, want)
		}
	}
	if got := models.Object(nil, `{"a": 1}`); got != nil {
		t.Errorf("without a schema: %s", got)
	}
}

func TestArgumentsKeepWhatIsNoJSON(t *testing.T) {
	for text, want := range map[string]string{
		``: `{}`, `{"id": 7}`: `{"id":7}`, `{"id": `: `"{\"id\": "`, `<b>`: `"<b>"`,
	} {
		got := models.Arguments(text)
		if string(got) != want || !json.Valid(got) {
			t.Errorf("%q: got %s, want %s", text, got, want)
		}
	}
	for arguments, want := range map[string]string{`{"id":7}`: `{"id":7}`, `"{\"id\": "`: `{"id": `, ``: `{}`} {
		if got := models.ArgumentsText(json.RawMessage(arguments)); got != want {
			t.Errorf("%s: got %s, want %s", arguments, got, want)
		}
	}
}

func TestImageAddress(t *testing.T) {
	for want, image := range map[string]models.Image{
		"https://x.test/a.png":        {URL: "https://x.test/a.png"},
		"data:image/png;base64,AQI=":  {Data: []byte{1, 2}},
		"data:image/jpeg;base64,AQI=": {Data: []byte{1, 2}, MediaType: "image/jpeg", URL: "https://x.test"},
	} {
		if got := image.Address(); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

func TestCost(t *testing.T) {
	prices := models.Prices{"m": {Input: 2, CachedInput: 0.5, Output: 8}, "m-2026-01-01": {Input: 1}}
	usage := models.Usage{InputTokens: 1000, CachedTokens: 400, OutputTokens: 100}
	for model, want := range map[string]float64{
		"m": 0.0022, "m-2025-12-31": 0.0022, "m-20251231": 0.0022, "m-latest": 0.0022, "m-2026-01-01": 0.0006, "m-mini": 0, "": 0,
	} {
		if got := prices.Cost(model, usage); math.Abs(got-want) > 1e-12 {
			t.Errorf("%s: got %v, want %v", model, got, want)
		}
	}
}

func TestUsage(t *testing.T) {
	usage := models.EstimateUsage(
		models.Request{Messages: []models.Message{{Content: "four"}, {Content: "éééé"}}, Schema: json.RawMessage(`{}`)},
		models.Response{Text: "twelve chars", ToolCalls: []models.ToolCall{{Name: "ab", Arguments: json.RawMessage(`{}`)}}})
	if want := (models.Usage{InputTokens: 3, OutputTokens: 4, Estimated: true}); usage != want {
		t.Errorf("estimate %+v, want %+v", usage, want)
	}
	sum := usage.Add(models.Usage{InputTokens: 1, OutputTokens: 2, CachedTokens: 3, ReasoningTokens: 4, Cost: 5})
	if want := (models.Usage{InputTokens: 4, OutputTokens: 6, CachedTokens: 3, ReasoningTokens: 4, Cost: 5, Estimated: true}); sum != want {
		t.Errorf("sum %+v, want %+v", sum, want)
	}
}
