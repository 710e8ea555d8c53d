package flowiseapi

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"maps"
	"net/http"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stepgraph/stepgraph/compat/flowise"
	"github.com/stepgraph/stepgraph/compat/internal/wire"
	"github.com/stepgraph/stepgraph/engine"
	"github.com/tidwall/gjson"
)

// published is how a flow is a tool of an MCP server.
func (c *chatflow) published() flowise.Published {
	var text string
	_ = json.Unmarshal(c.MCPServerConfig, &text) // no text publishes nothing
	return flowise.ReadPublished(text)
}

// publish makes a flow the one tool of an MCP server and answers with the token that opens it.
// One that is published already keeps its token.
func (f *api) publish(w http.ResponseWriter, r *http.Request) error {
	c, err := f.flows.flow(r.Context(), r.PathValue("id"))
	if err != nil {
		return err
	}
	p, err := f.flows.publishedOf(c)
	if err != nil {
		return err
	}
	if err := readJSON(w, r, &struct {
		ToolName    *string `json:"toolName"`
		Description *string `json:"description"`
	}{&p.ToolName, &p.Description}); err != nil {
		return err
	}
	if err := p.Check(); err != nil {
		return &refusal{http.StatusBadRequest, err.Error()}
	}
	if !p.Enabled || p.Token == "" {
		p.Enabled, p.Token = true, newToken()
	}
	if err := f.keepPublished(r.Context(), c, p); err != nil {
		return err
	}
	writeJSON(w, http.StatusOK, p)
	return nil
}

// unpublish ends it; the token opens nothing any more.
func (f *api) unpublish(w http.ResponseWriter, r *http.Request) error {
	c, err := f.flows.flow(r.Context(), r.PathValue("id"))
	if err != nil {
		return err
	}
	p := c.published()
	p.Enabled, p.Token = false, ""
	if err := f.keepPublished(r.Context(), c, p); err != nil {
		return err
	}
	writeJSON(w, http.StatusOK, p)
	return nil
}

func newToken() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}

// keepPublished writes it into the row of the flow, whose steps stay as they are.
func (f *api) keepPublished(ctx context.Context, c *chatflow, p flowise.Published) error {
	row, token := c.chatflowRow, p.Token
	if f.o.Secrets != nil {
		token = ""
	}
	if err := row.publish(p, token); err != nil {
		return err
	}
	text, err := json.Marshal(row)
	if err != nil {
		return err
	}
	w := *c.workflow
	w.Extra = maps.Clone(w.Extra)
	w.Extra[rowProperty] = string(text)
	if _, err = f.e.Put(ctx, &w, engine.PutOptions{Force: true}); err != nil || f.o.Secrets == nil {
		return err
	}
	return f.flows.keepSecret(mcpToken, c.ID, p.Token, "MCP token")
}

// callTool serves a published flow to MCP clients: streamable HTTP without sessions. Whoever
// does not show its token does not learn whether there is such a flow.
func (f *api) callTool(w http.ResponseWriter, r *http.Request) {
	token, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	c, err := f.flows.flow(r.Context(), r.PathValue("id"))
	var p flowise.Published
	if err == nil {
		p, err = f.flows.publishedOf(c)
	}
	if err != nil || !p.Trusts(token) {
		if f.o.Wrong != nil {
			f.o.Wrong(w, r)
		}
		writeJSON(w, http.StatusUnauthorized, map[string]any{"jsonrpc": "2.0", "id": nil,
			"error": map[string]any{"code": -32001, "message": "Unauthorized: the token is not that of a published flow"}})
		return
	}
	withoutWriteDeadline(w)
	server := f.toolServer(c)
	tool := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server },
		&mcp.StreamableHTTPOptions{Stateless: true, MaxRequestBodyBytes: wire.FlowLimit, DisableLocalhostProtection: true}) // hosts are checked by the API
	if f.o.Serve == nil {
		tool.ServeHTTP(w, r)
		return
	}
	f.o.Serve(tool, w, r, "mcp:"+c.ID)
}

// toolServer is a server with the one tool that runs a flow.
func (f *api) toolServer(c *chatflow) *mcp.Server {
	p, start := c.published(), flowise.StartOf(c.workflow)
	server := mcp.NewServer(&mcp.Implementation{Name: p.ToolName, Version: "1.0.0"}, nil)
	server.AddTool(&mcp.Tool{Name: p.ToolName, Description: p.Description, InputSchema: start.Arguments()},
		func(ctx context.Context, q *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			asked, err := start.Called(q.Params.Arguments)
			if err != nil {
				return toolText("MCP error -32602: Input validation error: Invalid arguments for tool "+p.ToolName+": "+err.Error(), true), nil
			}
			text, err := f.runTool(ctx, newTurn(c, asked))
			if err != nil {
				return toolText(refusalOf(ctx, f.o.Log, "/api/v1/mcp", err).message, true), nil
			}
			return toolText(text, false), nil
		})
	return server
}

// runTool runs a turn and returns what it answers, as text.
func (f *api) runTool(ctx context.Context, t *flowTurn) (string, error) {
	if err := f.turns.begin(ctx, t); err != nil {
		return "", err
	}
	if _, err := f.e.WaitAfter(ctx, t.made); err != nil {
		return "", err
	}
	run, entries, err := f.turns.read(ctx, t.run, t.workflow)
	if err != nil {
		return "", err
	}
	if err := failureOf(run, entries); err != nil {
		return "", err
	}
	return gjson.ParseBytes(flowise.Text(entries)).String(), nil
}

func toolText(text string, failed bool) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}, IsError: failed}
}
