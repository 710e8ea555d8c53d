package integration

import (
	"bytes"
	"encoding/json"
	"time"

	"github.com/stepgraph/stepgraph/functions/internal/input"
)

// A Result is the output of integration.
type Result struct {
	Success   bool            `json:"success" jsonschema:"whether there is data"`
	Data      json.RawMessage `json:"data" jsonschema:"the data as the source gave it; on failure the raw answer"`
	Summary   string          `json:"summary" jsonschema:"the data in short"`
	Structure string          `json:"structure" jsonschema:"the shape of the data"`
	Metadata  Metadata        `json:"metadata"`
	Error     string          `json:"error,omitempty" jsonschema:"what went wrong"`
	ErrorCode string          `json:"errorCode,omitempty" jsonschema:"MOCK_…, REST_…, GRAPHQL_… or INTEGRATION_…"`
	Raw       json.RawMessage `json:"raw,omitempty" jsonschema:"the answer before it was normalised"`
	Text      string          `json:"text" jsonschema:"what a model is told"`
}

// Metadata holds the source of the data and how long the call took.
type Metadata struct {
	Source   string `json:"source" jsonschema:"mock_db, rest_api, graphql_api, internal or tool"`
	Duration int64  `json:"duration" jsonschema:"milliseconds"`
}

const instruction = "The 'data' field contains the actual data. Read the values from it; 'summary' and 'structure' only describe it. If 'success' is false, 'error' says why there is no data."

// normalise converts a raw response to a Result.
func normalise(r raw, in Input, took time.Duration) Result {
	if len(r.data) > maxData {
		r = failed("INTEGRATION_EXECUTION_ERROR", "the data is larger than 262144 bytes").from(r.source)
	}
	out := Result{Raw: r.encode(), Metadata: Metadata{r.source, took.Milliseconds()}}
	if r.code != "" {
		out.Data, out.Summary, out.Structure = out.Raw, "No data returned", "unknown"
		out.Error, out.ErrorCode = r.message, r.code
	} else {
		out.Success, out.Data = true, r.data
		out.Summary, out.Structure = summary(r.data), structure(r.data)
	}
	out.Text = string(out.modelText(string(in.Notes), string(in.Structure)))
	return out
}

// forModel returns the part of the result for a model: {success, data, summary, structure,
// error?, errorCode?}.
func (r Result) forModel() json.RawMessage {
	o := input.Object{}.With("success", input.Encode(r.Success)).With("data", r.Data).
		With("summary", input.Encode(r.Summary)).With("structure", input.Encode(r.Structure))
	if r.ErrorCode != "" {
		o = o.With("error", input.Encode(r.Error)).With("errorCode", input.Encode(r.ErrorCode))
	}
	return o.Encode()
}

// modelText returns the complete text for a model.
func (r Result) modelText(notes, shape string) json.RawMessage {
	how := instruction
	if shape != "" {
		how += " The data is described as: " + shape
	}
	if notes != "" {
		how += " " + notes
	}
	return input.Object{}.With("result", r.forModel()).With("_instruction", input.Encode(how)).Encode()
}

func compact(text json.RawMessage) json.RawMessage {
	var b bytes.Buffer
	if json.Compact(&b, text) != nil {
		return text
	}
	return b.Bytes()
}

// preview returns the beginning of a text for the log.
func preview(text json.RawMessage) string {
	if runes := []rune(string(text)); len(runes) > 500 {
		return string(runes[:500]) + "…"
	}
	return string(text)
}
