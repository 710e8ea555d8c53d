package mcp

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/functions/internal/input"
	"github.com/stepgraph/stepgraph/functions/internal/wire"
)

const (
	limit     = 8       // concurrent calls
	maxOutput = 1 << 20 // bytes
)

// Input is the input of mcp.call.
type Input struct {
	Server    input.Text      `json:"server,omitempty" jsonschema:"the name of a configured server"`
	Tool      input.Text      `json:"tool,omitempty" jsonschema:"the name of one of its tools"`
	Arguments json.RawMessage `json:"arguments,omitempty" takes:"object" jsonschema:"an object, as the tool's schema says"`
	Timeout   input.Duration  `json:"timeout,omitempty" jsonschema:"of the call, in seconds or as a text such as 10s; the server's, or 60 s, when absent"`
	Raise     input.Bool      `json:"raise,omitempty" jsonschema:"a tool that says it failed is an error of the step, and not an output"`
}

// Output is the output of mcp.call.
type Output struct {
	Content    json.RawMessage `json:"content" jsonschema:"the list of the protocol: texts, images, resources"`
	Structured json.RawMessage `json:"structured" jsonschema:"the structured result; null when there is none"`
	Text       string          `json:"text" jsonschema:"the texts of content, by line; the structured result as JSON when there are none"`
	IsError    bool            `json:"is_error" jsonschema:"the tool says that it failed; text says why"`
}

// Spec describes mcp.call on the servers of p; without servers it is off. A call repeated
// after a crash carries the same key as stepgraph/key in its _meta, so that a server that
// supports it does the work once.
func Spec(p *Pool) function.Spec {
	spec := function.Spec{
		Name:        "mcp.call",
		Description: "Calls a tool of a configured MCP server.",
		Effects:     true,
		Limit:       limit,
		Arguments:   "arguments",
		Input:       input.Schema[Input](),
		Output:      input.Schema[Output](),
		Examples:    examples,
	}
	if p == nil {
		p = NewPool(Options{})
	}
	if len(p.options.Servers) == 0 {
		spec.Disabled = "no MCP server is configured, name one under mcp in the configuration file"
	}
	spec.Check = input.Check[Input](p.check)
	spec.Function = function.ObjectFunc(p.call)
	return spec
}

func (p *Pool) call(ctx context.Context, fields input.Object) (json.RawMessage, error) {
	in, err := input.Bind[Input](fields)
	if err != nil {
		return nil, err
	}
	s, err := p.server(string(in.Server))
	if err != nil {
		return nil, err
	}
	if in.Tool == "" {
		return nil, input.Bad("tool: the name is missing")
	}
	if !s.allows(string(in.Tool)) {
		return nil, input.Bad("tool: workflows may not call %q of the MCP server %s; its tools in the configuration are %s", in.Tool, in.Server, strings.Join(s.Tools, ", "))
	}
	params, err := in.params(function.CallOf(ctx).Key)
	if err != nil {
		return nil, err
	}
	s.Timeout = max(s.Timeout, 0)
	if in.Timeout > 0 {
		s.Timeout = in.Timeout
	}
	var result *sdk.CallToolResult
	err = p.with(ctx, string(in.Server), s, func(ctx context.Context, session *sdk.ClientSession) (err error) {
		result, err = session.CallTool(ctx, params)
		return err
	})
	if err != nil {
		return nil, err
	}
	return encode(result, bool(in.Raise))
}

func (s Server) allows(tool string) bool { return len(s.Tools) == 0 || slices.Contains(s.Tools, tool) }

func (in Input) params(key string) (*sdk.CallToolParams, error) {
	arguments := in.Arguments
	if arguments == nil {
		arguments = json.RawMessage("{}")
	}
	if arguments[0] == '"' {
		arguments = json.RawMessage(input.TextOf(arguments))
	}
	if _, err := input.Parse(arguments); err != nil {
		return nil, input.Bad("arguments: want an object")
	}
	params := &sdk.CallToolParams{Name: string(in.Tool), Arguments: arguments}
	if key != "" {
		params.Meta = sdk.Meta{"stepgraph/key": key}
	}
	return params, nil
}

// with calls f with the session of a server, limited by the server's timeout. A connection that
// fails is retired. After a call that timed out or was cancelled the server is pinged, and the
// connection is retired if it does not answer.
func (p *Pool) with(ctx context.Context, name string, s Server, f func(context.Context, *sdk.ClientSession) error) error {
	allowed := p.options.timeout(s)
	bounded, cancel := context.WithTimeout(ctx, allowed)
	defer cancel()
	c, err := p.take(bounded, name, s)
	if err == nil {
		err = f(bounded, c.session)
		broken := err != nil && !answered(err) && bounded.Err() == nil
		if err != nil {
			err = p.failure(name, c, err)
		}
		if bounded.Err() != nil {
			p.probe(name, c)
		}
		p.release(name, c, broken)
	}
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return wire.Ended(ctx)
	case bounded.Err() != nil:
		return timedOut(name, allowed)
	}
	return err
}

// encode returns the output for a tool result.
func encode(result *sdk.CallToolResult, raise bool) (json.RawMessage, error) {
	out := Output{Content: json.RawMessage("[]"), Structured: json.RawMessage("null"), IsError: result.IsError}
	var texts []string
	if result.Content != nil {
		out.Content = input.Encode(result.Content)
	}
	for _, c := range result.Content {
		if text, ok := c.(*sdk.TextContent); ok {
			texts = append(texts, text.Text)
		}
	}
	if result.StructuredContent != nil {
		out.Structured = input.Encode(result.StructuredContent)
		if len(texts) == 0 {
			texts = []string{string(out.Structured)}
		}
	}
	out.Text = strings.Join(texts, "\n")
	if raise && out.IsError {
		return nil, &function.CallError{Kind: "tool_failed", Message: out.Text}
	}
	encoded := input.Encode(out)
	if len(encoded) > maxOutput {
		return nil, &function.CallError{Kind: function.KindTooLarge, Message: "the tool's result is larger than 1048576 bytes"}
	}
	return encoded, nil
}
