package integration

import (
	"context"
	"encoding/json"

	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/functions/internal/input"
)

// handOver runs the step at the end of the first TOOL path and returns its result. The first
// call of the function requests the tool call; the second, with the transcript, converts the
// result.
func (f stepFunction) handOver(ctx context.Context, call *function.Call, arguments input.Object) (json.RawMessage, error) {
	if len(call.Transcript) == 0 {
		return nil, &function.CallTools{
			Entry: json.RawMessage(`{}`),
			Calls: []function.ToolCall{{ID: "source", Tool: call.Tools[0].Name, Arguments: arguments.Encode()}},
		}
	}
	results := call.Transcript[0].Results
	if len(results) == 0 {
		return nil, &function.CallError{Kind: function.KindFailed, Message: "the source gave no result"}
	}
	return f.finish(ctx, convertToolResult(results[0], arguments)), nil
}

// convertToolResult converts the result of a tool to a Result. A result that already has this shape is
// kept, an error gets an error code, and anything else becomes data.
func convertToolResult(given function.ToolResult, arguments input.Object) Result {
	switch {
	case given.Error != nil:
		return normalise(failed("INTEGRATION_EXECUTION_ERROR", given.Error.Message).from(sourceTool), Input{}, 0)
	case len(given.Output) == 0 || string(given.Output) == "null":
		return normalise(failed("NORMALIZATION_FAILED", "the source gave nothing that can be used").from(sourceTool), Input{}, 0)
	}
	var r Result
	if fields, err := input.Parse(given.Output); err == nil && fields.Get("success") != nil && fields.Get("structure") != nil && json.Unmarshal(given.Output, &r) == nil {
		r.Metadata.Source = sourceTool
		return r
	}
	return normalise(raw{source: sourceTool, data: compact(given.Output), arguments: arguments}, Input{}, 0)
}
