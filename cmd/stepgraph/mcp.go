package main

import (
	"context"
	"errors"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/spf13/cobra"

	"github.com/stepgraph/stepgraph/api/mcp"
	"github.com/stepgraph/stepgraph/cmd/stepgraph/internal/client"
)

func (cmd *sessionCommands) mcpCommand() *cobra.Command {
	c := cmd.engines.engineCommand("mcp", "Serves workflows and sessions to an MCP client, on stdin and stdout", 0, &engineFlags{run: true},
		func(ctx context.Context, s *client.Client, _ []string) error {
			document, err := s.Document(ctx)
			if err != nil {
				return err
			}
			tools, err := mcp.Read(document)
			if err != nil {
				return err
			}
			return tools.Server(s.Call).Run(ctx, stdio{&sdk.IOTransport{Reader: io.NopCloser(cmd.in), Writer: unclosed{cmd.out}}})
		})
	c.Long = "mcp is an MCP server on stdin and stdout, for programs that start their servers as commands. Its tools are requests to the engine: a running one,\n" +
		"found as by all commands, else one of this process. A running engine offers the same tools at /mcp, over HTTP."
	return c
}

// stdio is a transport whose calls are answered although the input has ended, so that requests can
// be piped in from a file.
type stdio struct{ sdk.Transport }

func (t stdio) Connect(ctx context.Context) (sdk.Connection, error) {
	c, err := t.Transport.Connect(ctx)
	return &answeringConnection{Connection: c}, err
}

// An answeringConnection ends its input when each call has its answer.
type answeringConnection struct {
	sdk.Connection
	calls sync.WaitGroup
}

func (c *answeringConnection) Read(ctx context.Context) (jsonrpc.Message, error) {
	m, err := c.Connection.Read(ctx)
	if q, ok := m.(*jsonrpc.Request); ok && q.IsCall() {
		c.calls.Add(1)
	}
	if errors.Is(err, io.EOF) {
		answered := make(chan struct{})
		go func() { c.calls.Wait(); close(answered) }()
		select {
		case <-answered:
		case <-ctx.Done():
		}
	}
	return m, err
}

func (c *answeringConnection) Write(ctx context.Context, m jsonrpc.Message) error {
	if _, ok := m.(*jsonrpc.Response); ok {
		defer c.calls.Done()
	}
	return c.Connection.Write(ctx, m)
}

// unclosed is a writer that its user does not close.
type unclosed struct{ io.Writer }

func (unclosed) Close() error { return nil }
