package graph_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/functions/graph"
)

// fake keeps what it was asked and gives n rows, or an error.
type fake struct {
	query  string
	params map[string]any
	limit  int
	n      int
	err    error
	wait   bool
}

func (f *fake) ReadQuery(ctx context.Context, query string, params map[string]any, limit int) ([]map[string]any, error) {
	f.query, f.params, f.limit = query, params, limit
	if f.wait {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	var rows []map[string]any
	for i := range min(f.n, limit) {
		rows = append(rows, map[string]any{"n": int64(i)})
	}
	return rows, f.err
}

func call(t *testing.T, f *fake, text, bindings string) (string, error) {
	t.Helper()
	ctx := function.WithCall(t.Context(), &function.Call{Bindings: json.RawMessage(bindings)})
	out, err := graph.Spec(graph.Options{Querier: func() graph.Querier { return f }}).Function.Call(ctx, json.RawMessage(text))
	return string(out), err
}

func TestReferencesBecomeParameters(t *testing.T) {
	f := &fake{}
	_, err := call(t, f, `{"query":"MATCH (o {id: ref_0, x: $x}) WHERE o.y IN ref_1 RETURN o","parameters":"{\"x\": 1.5}"}`, `{"ref_0":"'}) DETACH DELETE o //","ref_1":[1,{"a":2.5}]}`)
	if err != nil {
		t.Fatal(err)
	}
	if want := "MATCH (o {id: $ref_0, x: $x}) WHERE o.y IN $ref_1 RETURN o"; f.query != want {
		t.Errorf("asked %s\nwant %s", f.query, want)
	}
	if got, want := fmt.Sprintf("%#v", f.params), `map[string]interface {}{"ref_0":"'}) DETACH DELETE o //", "ref_1":[]interface {}{1, map[string]interface {}{"a":2.5}}, "x":1.5}`; got != want || f.limit != 101 {
		t.Errorf("parameters %s, limit %d\nwant %s", got, f.limit, want)
	}
}

func TestRows(t *testing.T) {
	tests := []struct {
		n     int
		limit string
		want  string
	}{
		{0, `5`, `{"rows":[],"count":0,"truncated":false,"text":"[]"}`},
		{1, `"5"`, `{"rows":[{"n":0}],"count":1,"truncated":false,"text":"0"}`},
		{2, `2`, `{"rows":[{"n":0},{"n":1}],"count":2,"truncated":false,"text":"[{\"n\":0},{\"n\":1}]"}`},
		{9, `1`, `{"rows":[{"n":0}],"count":1,"truncated":true,"text":"0"}`},
	}
	for _, test := range tests {
		if got, err := call(t, &fake{n: test.n}, `{"query":"RETURN 1","limit":`+test.limit+`}`, ``); got != test.want || err != nil {
			t.Errorf("%d rows, limit %s: %s, %v\nwant %s", test.n, test.limit, got, err, test.want)
		}
	}
}

func TestFaults(t *testing.T) {
	f := &fake{}
	for _, text := range []string{
		`{}`, `{"query":"CREATE (n)"}`, `{"query":"RETURN 1","limit":1001}`, `{"query":"RETURN 1","limit":-1}`,
		`{"query":"RETURN 1","parameters":[1]}`, `{"query":"RETURN 'ref_0'"}`,
	} {
		if out, err := call(t, f, text, `{"ref_0":1}`); function.KindOf(err) != function.KindBadInput || f.query != "" {
			t.Errorf("%s gives %s, %v, asked %s", text, out, err, f.query)
		}
	}
	if _, err := call(t, &fake{wait: true}, `{"query":"RETURN 1","timeout":"1ms"}`, ``); function.KindOf(err) != function.KindTimeout || !function.IsTransient(err) {
		t.Errorf("a slow query gives %v", err)
	}
	if _, err := call(t, &fake{err: fmt.Errorf("x: %w", engine.ErrUnavailable)}, `{"query":"RETURN 1"}`, ``); !function.IsTransient(err) {
		t.Errorf("a server that is away gives %v", err)
	}
	if _, err := call(t, &fake{err: &function.CallError{Kind: function.KindBadInput, Message: "no"}}, `{"query":"RETURN 1"}`, ``); function.KindOf(err) != function.KindBadInput {
		t.Errorf("a refusal of the store gives %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := graph.Spec(graph.Options{Querier: func() graph.Querier { return &fake{wait: true} }}).Function.Call(ctx, json.RawMessage(`{"query":"RETURN 1"}`)); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled query gives %v", err)
	}
}

func TestOtherStores(t *testing.T) {
	for _, o := range []graph.Options{{}, {Querier: func() graph.Querier { return nil }}} {
		_, err := graph.Spec(o).Function.Call(t.Context(), json.RawMessage(`{"query":"RETURN 1"}`))
		if function.KindOf(err) != function.KindDisabled || !strings.Contains(err.Error(), "not on this store") {
			t.Errorf("without Neo4j: %v", err)
		}
	}
}

func TestCheck(t *testing.T) {
	spec := graph.Spec(graph.Options{})
	tests := map[string]int{
		`{"query":"MATCH (n {id: @{SESSION_ID}.a.b[0]|it's}) RETURN n"}`: 0,
		`{"query":"MATCH (n {id: '@{SESSION_ID}.a'}) RETURN n"}`:         1,
		`{"query":"MATCH (n) DELETE n"}`:                                 1,
		`{"query":"RETURN 1","limit":5000}`:                              1,
		`{"query":"RETURN 1","limit":"@{SESSION_ID}.n"}`:                 0,
		`{}`: 1,
	}
	for text, want := range tests {
		if got := spec.Check(json.RawMessage(text)); len(got) != want {
			t.Errorf("%s has problems %v, want %d", text, got, want)
		}
	}
	for _, e := range spec.Examples {
		if problems := spec.Check(e.Input); problems != nil {
			t.Errorf("example %q has problems %v", e.Title, problems)
		}
	}
}
