package nebulaflow

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/stepgraph/stepgraph/compat/source"
	"github.com/stepgraph/stepgraph/internal/jsontext"
)

// saved is the state the file carries, as what a session of the workflow begins with: nodes
// that had completed are not run again, variables and accumulators have the values they had,
// and a loop that had not ended begins anew.
func (c *compiler) saved() *source.Saved {
	state := c.flow.State
	if state == nil || len(state.NodeResults) == 0 {
		return nil
	}
	seeds := Seeds{Outputs: map[string]string{}, Decisions: map[string]string{}}
	for id, side := range state.IfElseDecisions {
		seeds.Decisions[id] = string(side)
	}
	out := &source.Saved{Workflow: c.flow.ID}
	for _, n := range c.flow.Nodes {
		if result, ok := state.NodeResults[n.ID]; ok && result.Status == "completed" {
			seeds.Outputs[n.ID] = string(result.Output)
			out.Done = append(out.Done, n.ID)
		}
	}
	begin, err := Resume{Seeds: seeds}.Request(c.w)
	if err != nil { // only a node to begin at can be wrong, and none is named
		panic("nebulaflow: " + err.Error())
	}
	out.Outputs, out.Seeds = begin.Outputs, begin.Seeds
	bodies, input := bodiesOf(c.w), map[string]string{}
	for i := range c.w.Steps {
		input[c.w.Steps[i].ID] = c.w.Steps[i].Input
	}
	for _, id := range out.Done {
		if bodies.unfinished(id, seeds.Outputs) {
			continue
		}
		for name := range gjson.Get(input[id], "globals").Map() {
			out.Outputs[name] = encode(seeds.Outputs[id])
		}
	}
	return out
}

// outputOf is the output object that stands for a node's result.
func outputOf(n *node, result, decision string) json.RawMessage {
	out := map[string]any{"text": result}
	switch n.Type {
	case kindIfElse:
		if decision == "" {
			decision = result
		}
		out["result"] = decision == "true"
	case kindSubflow:
		out["outputs"] = outputsOf(n, result)
	case kindCLI:
		out["stdout"], out["exit_code"] = result, 0
	}
	return encode(out)
}

// outputsOf are the outputs of a subflow whose results were kept as one text: a line for each,
// or, where they had several lines, the whole text for each.
func outputsOf(n *node, result string) []any {
	lines := strings.Split(result, "\n")
	out := make([]any, max(min(int(n.Data.OutputPortCount), mostPorts), 1))
	for i := range out {
		text := result
		if len(lines) == len(out) {
			text = lines[i]
		}
		out[i] = map[string]any{"text": text}
	}
	return out
}

// topLevel is the file without its nodes and edges.
func topLevel(src []byte) string {
	var all map[string]json.RawMessage
	if json.Unmarshal(bytes.TrimSpace(src), &all) != nil {
		return "{}"
	}
	delete(all, "nodes")
	delete(all, "edges")
	delete(all, "graph")
	return string(encode(all))
}

// encode is the JSON text of a value that always has one.
func encode(value any) []byte {
	text, err := jsontext.Marshal(value)
	if err != nil {
		panic("nebulaflow: " + err.Error())
	}
	return text
}
