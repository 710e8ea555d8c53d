package mcp

import (
	"context"
	"encoding/json"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/stepgraph/stepgraph/functions/internal/input"
)

const maxTools = 1000

// A Tool describes one tool of a server.
type Tool struct {
	Name        string          `json:"name"`
	Title       string          `json:"title,omitempty"`
	Description string          `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parameters"` // JSON Schema of the arguments
	Output      json.RawMessage `json:"output,omitempty"`
	ReadOnly    bool            `json:"read_only,omitempty"` // according to the server
}

// Tools asks a server for the tools that workflows may call, in the server's order, at most
// 1,000. A server name that is not configured is an error of kind bad_input.
func (p *Pool) Tools(ctx context.Context, server string) ([]Tool, error) {
	s, err := p.server(server)
	if err != nil {
		return nil, err
	}
	var tools []Tool
	err = p.with(ctx, server, s, func(ctx context.Context, session *sdk.ClientSession) error {
		for tool, err := range session.Tools(ctx, nil) {
			if err != nil {
				return err
			}
			if s.allows(tool.Name) {
				tools = append(tools, described(tool))
			}
			if len(tools) == maxTools {
				break
			}
		}
		return nil
	})
	return tools, err
}

func described(t *sdk.Tool) Tool {
	out := Tool{Name: t.Name, Title: t.Title, Description: t.Description, Parameters: json.RawMessage(`{"type":"object"}`)}
	if t.InputSchema != nil {
		out.Parameters = input.Encode(t.InputSchema)
	}
	if t.OutputSchema != nil {
		out.Output = input.Encode(t.OutputSchema)
	}
	if t.Annotations != nil {
		out.ReadOnly = t.Annotations.ReadOnlyHint
	}
	return out
}
