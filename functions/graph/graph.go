package graph

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/engine/store"
	"github.com/stepgraph/stepgraph/functions/internal/input"
	"github.com/stepgraph/stepgraph/functions/internal/wire"
	"github.com/stepgraph/stepgraph/internal/jsontext"
	"github.com/stepgraph/stepgraph/internal/readonly"
)

const (
	timeout   = 10 * time.Second
	maxTime   = time.Minute
	rows      = 100
	maxRows   = 1000
	maxOutput = 1 << 20 // bytes
)

// A Querier runs a read-only query; *cypher.Store implements it. It returns at most limit
// rows, each a map by column name of plain JSON values: a node is {labels, properties}, a
// relationship {type, properties}. A query that could write, and a result above 1 MB, is an
// *function.CallError; nothing was changed in either case. The deadline of ctx also limits the
// time on the server.
type Querier interface {
	ReadQuery(ctx context.Context, query string, params map[string]any, limit int) ([]map[string]any, error)
}

// Options configure graph.query. The zero value refuses every call.
type Options struct {
	// Querier returns the store once it is open; it is nil, or returns nil, if the store does
	// not support Cypher.
	Querier func() Querier
}

// Input is the input of graph.query.
type Input struct {
	Query      input.Text      `json:"query,omitempty" jsonschema:"Cypher that reads: begins with MATCH, OPTIONAL MATCH, WITH, UNWIND, RETURN or CALL; a reference in it becomes a parameter"`
	Parameters json.RawMessage `json:"parameters,omitempty" takes:"object" jsonschema:"an object with the values of further parameters"`
	Limit      input.Int       `json:"limit,omitempty" jsonschema:"how many rows at most; 100 when absent, 1000 at most"`
	Timeout    input.Duration  `json:"timeout,omitempty" jsonschema:"how long the query may take, in seconds or as a text such as 10s; 10 s when absent, a minute at most"`
}

// Output is the output of graph.query.
type Output struct {
	Rows      []map[string]any `json:"rows" jsonschema:"objects by the names of the columns; a node is {labels, properties}"`
	Count     int              `json:"count" jsonschema:"of rows"`
	Truncated bool             `json:"truncated" jsonschema:"there were more rows than the limit"`
	Text      string           `json:"text" jsonschema:"the one value of a single row with a single column, else the rows as JSON"`
}

// Spec describes graph.query. It changes nothing, so a call repeated after a crash only reads
// again and may see newer data.
func Spec(o Options) function.Spec {
	f := stepFunction{o}
	return function.Spec{
		Name:        "graph.query",
		Description: "Reads the graph with a fixed Cypher query.",
		Effects:     true,
		Program:     []string{"query"},
		Arguments:   "parameters",
		Check:       input.Check[Input](check),
		Input:       input.Schema[Input](),
		Output:      input.Schema[Output](),
		Examples:    examples,
		Function:    function.ObjectFunc(f.call),
	}
}

type stepFunction struct{ options Options }

func (f stepFunction) call(ctx context.Context, fields input.Object) (json.RawMessage, error) {
	in, err := input.Bind[Input](fields)
	if err != nil {
		return nil, err
	}
	query, params, err := in.bound(function.CallOf(ctx).Bindings)
	if err != nil {
		return nil, err
	}
	limit, allowed, err := in.limits()
	if err != nil {
		return nil, err
	}
	var q Querier
	if f.options.Querier != nil {
		q = f.options.Querier()
	}
	if q == nil {
		return nil, &function.CallError{Kind: function.KindDisabled, Message: "graph.query is not on this store: it takes Neo4j, start with --store neo4j://HOST:PORT", Err: store.ErrNotOnThisStore}
	}
	bounded, cancel := context.WithTimeout(ctx, allowed)
	defer cancel()
	found, err := q.ReadQuery(bounded, query, params, limit+1)
	switch {
	case ctx.Err() != nil:
		return nil, wire.Ended(ctx)
	case err != nil && bounded.Err() != nil:
		return nil, &function.CallError{Kind: function.KindTimeout, Transient: true, Message: fmt.Sprintf("the query took longer than %s", allowed), Err: err}
	case err != nil:
		return nil, failure(err)
	}
	return encode(found, limit)
}

// failure converts an error of the store to an error of the engine.
func failure(err error) error {
	var known *function.CallError
	if errors.As(err, &known) {
		return err
	}
	return &function.CallError{Kind: function.KindFailed, Message: err.Error(), Transient: errors.Is(err, store.ErrUnavailable), Err: err}
}

// limits returns the maximal number of rows and the timeout.
func (in Input) limits() (int, time.Duration, error) {
	limit, allowed := int(in.Limit), time.Duration(in.Timeout)
	if limit == 0 {
		limit = rows
	}
	if allowed == 0 {
		allowed = timeout
	}
	if limit < 0 || limit > maxRows {
		return 0, 0, input.Bad("limit: want 1 to %d rows, not %d", maxRows, limit)
	}
	return limit, min(allowed, maxTime), nil
}

// bound returns the query with parameters in the place of its references, and all parameters.
func (in Input) bound(bindings json.RawMessage) (string, map[string]any, error) {
	if err := readonly.Check(string(in.Query)); err != nil {
		return "", nil, input.Bad("%v", err)
	}
	params := map[string]any{}
	if in.Parameters != nil {
		given := in.Parameters
		if given[0] == '"' {
			given = json.RawMessage(input.TextOf(given))
		}
		if err := decode(given, &params); err != nil || params == nil {
			return "", nil, input.Bad("parameters: want an object")
		}
	}
	if len(bindings) == 0 {
		return string(in.Query), params, nil
	}
	values := map[string]any{}
	if err := decode(bindings, &values); err != nil {
		return "", nil, input.Bad("query: %v", err)
	}
	names := make([]string, 0, len(values))
	for name, value := range values {
		names = append(names, name)
		params[name] = value
	}
	query, err := readonly.Replace(string(in.Query), names, func(name string) string { return "$" + name })
	if err != nil {
		return "", nil, input.Bad("%v", err)
	}
	return query, params, nil
}

// decode reads an object; whole numbers become int64, as the database stores them.
func decode(text json.RawMessage, into *map[string]any) error {
	if err := jsontext.Decode(text, into); err != nil {
		return err
	}
	for name, value := range *into {
		(*into)[name] = numbers(value)
	}
	return nil
}

func numbers(value any) any {
	switch v := value.(type) {
	case json.Number:
		if n, err := v.Int64(); err == nil {
			return n
		}
		f, err := v.Float64()
		if err != nil {
			return v.String()
		}
		return f
	case []any:
		for i := range v {
			v[i] = numbers(v[i])
		}
	case map[string]any:
		for name := range v {
			v[name] = numbers(v[name])
		}
	}
	return value
}

func encode(found []map[string]any, limit int) (json.RawMessage, error) {
	out := Output{Rows: found}
	if len(found) > limit {
		out.Rows, out.Truncated = found[:limit], true
	}
	if out.Rows == nil {
		out.Rows = []map[string]any{}
	}
	out.Count = len(out.Rows)
	out.Text = textOf(out.Rows)
	encoded := input.Encode(out)
	if len(encoded) > maxOutput {
		return nil, &function.CallError{Kind: function.KindTooLarge, Message: "the rows are larger than 1048576 bytes; return less, or set a limit"}
	}
	return encoded, nil
}

// textOf returns the rows as text.
func textOf(rows []map[string]any) string {
	if len(rows) == 1 && len(rows[0]) == 1 {
		for _, value := range rows[0] {
			return input.TextOf(input.Encode(value))
		}
	}
	return string(input.Encode(rows))
}
