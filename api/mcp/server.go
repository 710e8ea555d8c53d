package mcp

import (
	"context"
	"encoding/json"
	"net/url"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

const instructions = "stepgraph runs workflows in which people and models take turns. A session is one run of a workflow; while its status is awaiting_input, " +
	"a question waits in awaiting for answer_session. Start with list_workflows, or with list_awaiting to see what waits. explain_session tells why a session stays where it is."

// Server returns a server with the tools, whose requests call makes. Workflows and sessions are
// its resources, too.
func (t *Tools) Server(call Caller) *sdk.Server {
	server := sdk.NewServer(&sdk.Implementation{Name: "stepgraph", Title: "stepgraph", Version: t.version},
		&sdk.ServerOptions{Instructions: instructions, Capabilities: &sdk.ServerCapabilities{}})
	for _, tool := range t.list {
		server.AddTool(tool.described, tool.handler(call))
	}
	addResource(server, call, "workflow", "A workflow with its steps and paths", "/api/v1/workflows/")
	addResource(server, call, "session", "A session: status, messages, open questions", "/api/v1/sessions/")
	return server
}

func (t *tool) handler(call Caller) sdk.ToolHandler {
	return func(ctx context.Context, q *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		request, err := t.request(q.Params.Arguments)
		if err != nil {
			return failed(err), nil
		}
		body, err := call(ctx, request)
		if err != nil {
			return failed(err), nil
		}
		return answered(body), nil
	}
}

// answered shows the body as text, and as structured content where it is an object, which is
// what that has to be. A session is described in words first.
func answered(body json.RawMessage) *sdk.CallToolResult {
	result := &sdk.CallToolResult{}
	if words := sessionWords(body); words != "" {
		result.Content = append(result.Content, &sdk.TextContent{Text: words})
	}
	if len(body) == 0 {
		body = json.RawMessage(`{}`)
	}
	result.Content = append(result.Content, &sdk.TextContent{Text: string(body)})
	if strings.HasPrefix(strings.TrimSpace(string(body)), "{") {
		result.StructuredContent = body
	}
	return result
}

func failed(err error) *sdk.CallToolResult {
	return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: err.Error()}}, IsError: true}
}

// addResource adds what is read at a path and an id as KIND://ID.
func addResource(server *sdk.Server, call Caller, kind, about, path string) {
	server.AddResourceTemplate(&sdk.ResourceTemplate{Name: kind, Description: about, MIMEType: "application/json", URITemplate: kind + "://{+id}"},
		func(ctx context.Context, q *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
			id, err := url.PathUnescape(strings.TrimPrefix(q.Params.URI, kind+"://"))
			if err != nil {
				return nil, err
			}
			body, err := call(ctx, Call{Method: "GET", Path: path + url.PathEscape(id)})
			if err != nil {
				return nil, err
			}
			return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{{URI: q.Params.URI, MIMEType: "application/json", Text: string(body)}}}, nil
		})
}
