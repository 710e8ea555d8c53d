package cypher

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"
	"github.com/neo4j/neo4j-go-driver/v5/neo4j/dbtype"

	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/engine/store"
	"github.com/stepgraph/stepgraph/internal/readonly"
)

const (
	readFetch = 100     // rows asked for at once, so that a limit ends a long answer early
	readBytes = 1 << 20 // of an answer
)

// queries runs the queries of workflows.
type queries struct{ *db }

// ReadQuery runs a query that came from a workflow and returns at most limit rows, by the
// names of their columns, in plain JSON values (see functions/graph). It is refused with an
// *function.CallError of kind bad_input unless its text, the server's plan and the transaction
// each say that it only reads. The server ends it when ctx does.
func (s queries) ReadQuery(ctx context.Context, query string, parameters map[string]any, limit int) ([]map[string]any, error) {
	if err := readonly.Check(query); err != nil {
		return nil, unreadable(err.Error())
	}
	session := s.session
	session.AccessMode = neo4j.AccessModeRead
	session.FetchSize = readFetch
	var rows []map[string]any
	err := s.again(ctx, "graph.query", func(ctx context.Context) error {
		if s.followers.routed { // a follower may be the one that answers
			if _, err := s.newest(ctx); err != nil {
				return s.mapTimeout(ctx, err, settled)
			}
		}
		opened := s.reader.session(ctx, session)
		defer closeQuietly(ctx, opened)
		if err := s.plan(ctx, opened, query, parameters); err != nil {
			return mapped(err, settled)
		}
		var err error
		rows, err = s.readRows(ctx, opened, query, parameters, limit)
		return mapped(err, settled)
	})
	return rows, refusal(err)
}

// plan lets the server explain the query, which runs nothing, and refuses what it would do
// beside reading.
func (s queries) plan(ctx context.Context, session neo4j.SessionWithContext, query string, parameters map[string]any) error {
	result, err := session.Run(ctx, "EXPLAIN "+query, parameters, s.reading(ctx))
	if err != nil {
		return err
	}
	summary, err := result.Consume(ctx)
	if err != nil {
		return err
	}
	if summary.StatementType() != neo4j.StatementTypeReadOnly {
		return unreadable("query: the server says that it would write, and only queries that read are possible")
	}
	return onlyReads(summary.Plan())
}

// onlyReads looks for operators that reach beyond the graph.
func onlyReads(plan neo4j.Plan) error {
	if plan == nil {
		return unreadable("query: the server gave no plan to judge it by")
	}
	operator, _, _ := strings.Cut(plan.Operator(), "@")
	if operator == "LoadCSV" {
		return unreadable("query: LOAD CSV reads files and addresses, and only the graph may be read")
	}
	for _, child := range plan.Children() {
		if err := onlyReads(child); err != nil {
			return err
		}
	}
	return nil
}

// reading names the transaction and lets the server end it when ctx does.
func (s queries) reading(ctx context.Context) func(*neo4j.TransactionConfig) {
	return func(c *neo4j.TransactionConfig) {
		s.transaction("graph.query")(c)
		if deadline, ok := ctx.Deadline(); ok {
			c.Timeout = max(min(c.Timeout, time.Until(deadline)), time.Millisecond)
		}
	}
}

func (s queries) readRows(ctx context.Context, session neo4j.SessionWithContext, query string, parameters map[string]any, limit int) ([]map[string]any, error) {
	result, err := session.Run(ctx, query, parameters, s.reading(ctx))
	if err != nil {
		return nil, err
	}
	rows := []map[string]any{}
	for size := 0; len(rows) < limit && result.Next(ctx); {
		record := result.Record()
		row := make(map[string]any, len(record.Keys))
		for i, name := range record.Keys {
			row[name] = readable(record.Values[i])
		}
		text, err := json.Marshal(row)
		if err != nil {
			return nil, err
		}
		if size += len(text); size > readBytes {
			return nil, &function.CallError{Kind: function.KindTooLarge, Message: fmt.Sprintf("the rows are larger than %d bytes; return less, or set a limit", readBytes)}
		}
		rows = append(rows, row)
	}
	return rows, result.Err()
}

// readable is a value in the terms of JSON.
func readable(v any) any {
	switch v := v.(type) {
	case dbtype.Node:
		return map[string]any{"labels": v.Labels, "properties": readableMap(v.Props)}
	case dbtype.Relationship:
		return map[string]any{"type": v.Type, "properties": readableMap(v.Props)}
	case dbtype.Path:
		return readablePath(v)
	case map[string]any:
		return readableMap(v)
	case []any:
		list := make([]any, len(v))
		for i := range v {
			list[i] = readable(v[i])
		}
		return list
	case []byte:
		return base64.StdEncoding.EncodeToString(v)
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Sprint(v)
		}
		return v
	}
	return plainValue(v)
}

func readableMap(m map[string]any) map[string]any {
	out := make(map[string]any, len(m))
	for name, v := range m {
		out[name] = readable(v)
	}
	return out
}

func readablePath(p dbtype.Path) any {
	nodes, relationships := make([]any, len(p.Nodes)), make([]any, len(p.Relationships))
	for i := range p.Nodes {
		nodes[i] = readable(p.Nodes[i])
	}
	for i := range p.Relationships {
		relationships[i] = readable(p.Relationships[i])
	}
	return map[string]any{"nodes": nodes, "relationships": relationships}
}

func unreadable(message string) error {
	return &function.CallError{Kind: function.KindBadInput, Message: message}
}

// refusal makes what the server says of a query, its syntax or its types, an error that
// there is no second attempt.
func refusal(err error) error {
	var answer *neo4j.Neo4jError
	if err == nil || errors.Is(err, store.ErrUnavailable) || !errors.As(err, &answer) || !strings.HasPrefix(answer.Code, "Neo.ClientError.") {
		return err
	}
	return &function.CallError{Kind: function.KindBadInput, Message: "query: " + answer.Msg, Err: err}
}
