package cypherfile

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"github.com/stepgraph/stepgraph/cypher/neo4jserver"
	"github.com/stepgraph/stepgraph/cypher/neo4jtest"
	"github.com/stepgraph/stepgraph/seeds"
)

// TestConformance runs the same files on a real Neo4j and here. It needs a server of its
// own: files look at and delete whatever is there. Every file runs in one transaction
// that is rolled back.
func TestConformance(t *testing.T) {
	server := neo4jtest.Own(t, neo4jserver.Options{HeapMB: 512})
	driver, err := server.Driver()
	if err != nil {
		t.Fatal(err)
	}
	defer driver.Close(t.Context())
	real := &realGraph{t: t, driver: driver}

	t.Run("same", func(t *testing.T) {
		for _, text := range blocks(t, "same.txt") {
			sameAsNeo4j(t, real, text, strings.Split(text, "\n;;\n"))
		}
	})
	t.Run("refused", func(t *testing.T) {
		for _, text := range blocks(t, "refused.txt") {
			if _, err := real.run([]string{text}); err != nil {
				t.Errorf("%s\nNeo4j does not run it: %v", text, err)
			}
			if _, err := Parse("x.cypher", []byte(text)); err == nil {
				t.Errorf("%s\nit is not refused here", text)
			}
		}
	})
	t.Run("fixtures", func(t *testing.T) {
		for _, file := range recorded(t) {
			src, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			sameAsNeo4j(t, real, string(src), split(t, src))
		}
	})
	t.Run("seeds", func(t *testing.T) {
		for _, name := range seeds.Names() {
			src, err := seeds.Workflow(name)
			if err != nil {
				t.Fatal(err)
			}
			sameAsNeo4j(t, real, string(src), split(t, src))
		}
	})
	t.Run("written", func(t *testing.T) {
		generator := workflows()
		for seed := range 30 {
			src, err := Write(generator.Example(seed))
			if err != nil {
				t.Fatal(err)
			}
			sameAsNeo4j(t, real, string(src), []string{string(src)})
		}
	})
}

func sameAsNeo4j(t *testing.T, real *realGraph, text string, statements []string) {
	t.Helper()
	want, wantErr := real.run(statements)
	got, gotErr := ourGraph(strings.ReplaceAll(text, "\n;;\n", "\n;\n"))
	switch {
	case (wantErr == nil) != (gotErr == nil):
		t.Errorf("%s\nNeo4j: %v\nhere:  %v", text, wantErr, gotErr)
	case wantErr == nil && got != want:
		t.Errorf("%s\nNeo4j:\n%s\nhere:\n%s", text, want, got)
	}
	var place *Error
	if gotErr != nil && (!errors.As(gotErr, &place) || place.Line < 1 || place.Col < 1) {
		t.Errorf("%s\nthe error has no place: %v", text, gotErr)
	}
}

func blocks(t *testing.T, file string) []string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", file))
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(string(b), "\n"), "\n====\n")
}

// split cuts a file at the semicolons that end statements.
func split(t *testing.T, src []byte) []string {
	t.Helper()
	s, err := newSource("x", src)
	if err != nil {
		t.Fatal(err)
	}
	if len(s.escapes) > 0 {
		t.Fatal(`a file with \u must be split by hand`)
	}
	tokens := lex(s)
	var all []string
	begin := 0
	for i, token := range tokens {
		if token.kind != endOfFile && !token.isSign(";") {
			continue
		}
		if i > 0 && !tokens[i-1].isSign(";") {
			all = append(all, string(s.text[begin:token.at]))
		}
		begin = token.at + 1
	}
	return all
}

func ourGraph(text string) (string, error) {
	s, err := newSource("x.cypher", []byte(text))
	if err != nil {
		return "", err
	}
	statements, err := prepare(s)
	if err != nil {
		return "", s.located(err)
	}
	g, err := evaluate(statements)
	if err != nil {
		return "", s.located(err)
	}
	var lines []string
	names := map[*node]string{}
	for _, n := range g.nodes {
		names[n] = describeNode(n.labels, n.properties)
		lines = append(lines, names[n])
	}
	for _, r := range g.relations {
		lines = append(lines, describeRelation(names[r.from], r.kind, r.properties, names[r.to]))
	}
	sort.Strings(lines)
	return strings.Join(lines, "\n"), nil
}

func describeNode(labels []string, properties map[string]any) string {
	sorted := append([]string(nil), labels...)
	sort.Strings(sorted)
	return fmt.Sprintf("(%q %s)", sorted, describeProperties(properties))
}

func describeRelation(from, kind string, properties map[string]any, to string) string {
	return fmt.Sprintf("%s-[%q %s]->%s", from, kind, describeProperties(properties), to)
}

func describeProperties(properties map[string]any) string {
	var parts []string
	for key, v := range properties {
		parts = append(parts, fmt.Sprintf("%q: %s", key, describeValue(v)))
	}
	sort.Strings(parts)
	return strings.Join(parts, ", ")
}

func describeValue(v any) string {
	list, ok := v.([]any)
	if !ok {
		return fmt.Sprintf("%T %#v", v, v)
	}
	var b bytes.Buffer
	for _, item := range list {
		b.WriteString(describeValue(item) + "; ")
	}
	return "[" + b.String() + "]"
}

// A realGraph runs statements on a server.
type realGraph struct {
	t      *testing.T
	driver neo4j.DriverWithContext
}

func (g *realGraph) run(statements []string) (string, error) {
	ctx := g.t.Context()
	session := g.driver.NewSession(ctx, neo4j.SessionConfig{})
	defer session.Close(ctx)
	tx, err := session.BeginTransaction(ctx)
	if err != nil {
		g.t.Fatal(err)
	}
	defer tx.Rollback(ctx)
	for _, text := range statements {
		result, err := tx.Run(ctx, text, nil)
		if err == nil {
			_, err = result.Consume(ctx)
		}
		if err != nil {
			var fault *neo4j.Neo4jError
			if !errors.As(err, &fault) {
				g.t.Fatal(err)
			}
			return "", err
		}
	}
	return g.read(tx)
}

func (g *realGraph) read(tx neo4j.ExplicitTransaction) (string, error) {
	ctx := g.t.Context()
	var lines []string
	names := map[string]string{}
	result, err := tx.Run(ctx, "MATCH (n) RETURN n", nil)
	if err != nil {
		return "", err
	}
	for result.Next(ctx) {
		n := result.Record().Values[0].(neo4j.Node)
		names[n.ElementId] = describeNode(n.Labels, n.Props)
		lines = append(lines, names[n.ElementId])
	}
	if result, err = tx.Run(ctx, "MATCH ()-[r]->() RETURN r", nil); err != nil {
		return "", err
	}
	for result.Next(ctx) {
		r := result.Record().Values[0].(neo4j.Relationship)
		lines = append(lines, describeRelation(names[r.StartElementId], r.Type, r.Props, names[r.EndElementId]))
	}
	sort.Strings(lines)
	return strings.Join(lines, "\n"), result.Err()
}
