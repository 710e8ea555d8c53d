package nebulaflow

import (
	"bytes"
	"encoding/json"

	"github.com/stepgraph/stepgraph/formats/source"
)

// saved is the state the file carries.
func (c *compiler) saved() *source.Saved {
	if c.flow.State == nil || len(c.flow.State.NodeResults) == 0 {
		return nil
	}
	out := &source.Saved{Workflow: c.flow.ID, Outputs: map[string]json.RawMessage{}}
	for _, n := range c.flow.Nodes {
		if result, ok := c.flow.State.NodeResults[n.ID]; ok && result.Status == "completed" {
			out.Outputs[n.ID] = outputOf(n, result.Output, c.flow.State.IfElseDecisions[n.ID])
			out.Done = append(out.Done, n.ID)
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
		out["outputs"] = []any{map[string]any{"text": result}}
	case kindCLI:
		out["stdout"], out["exit_code"] = result, 0
	}
	return encode(out)
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
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(value); err != nil {
		panic("nebulaflow: " + err.Error())
	}
	return bytes.TrimSpace(b.Bytes())
}
