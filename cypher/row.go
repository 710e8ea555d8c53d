package cypher

import (
	"context"
	"time"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"
)

// A row is one row of an answer. Its readers return the zero value for null and for another type:
// a property that a person has damaged by hand must not stop the engine.
type row struct{ record *neo4j.Record }

// collect reads all rows of an answer.
func collect(ctx context.Context, result neo4j.ResultWithContext) ([]row, error) {
	var rows []row
	for result.Next(ctx) {
		rows = append(rows, row{result.Record()})
	}
	if err := result.Err(); err != nil {
		return nil, err
	}
	return rows, nil
}

func (r row) get(name string) any {
	for i, key := range r.record.Keys {
		if key == name {
			return r.record.Values[i]
		}
	}
	return nil
}

func (r row) text(name string) string    { return asText(r.get(name)) }
func (r row) bytes(name string) []byte   { return asBytes(r.get(name)) }
func (r row) number(name string) int64   { return asNumber(r.get(name)) }
func (r row) yes(name string) bool       { b, _ := r.get(name).(bool); return b }
func (r row) time(name string) time.Time { return asTime(r.get(name)) }
func (r row) list(name string) []any     { l, _ := r.get(name).([]any); return l }
func (r row) texts(name string) []string {
	var texts []string
	for _, v := range r.list(name) {
		texts = append(texts, asText(v))
	}
	return texts
}

// textsOf is one column of rows.
func textsOf(rows []row, name string) []string {
	texts := make([]string, len(rows))
	for i, r := range rows {
		texts[i] = r.text(name)
	}
	return texts
}
func (r row) properties(name string) properties {
	m, _ := r.get(name).(map[string]any)
	return m
}

// properties are those of one node or relationship.
type properties map[string]any

func (p properties) text(name string) string    { return asText(p[name]) }
func (p properties) number(name string) int64   { return asNumber(p[name]) }
func (p properties) yes(name string) bool       { b, _ := p[name].(bool); return b }
func (p properties) time(name string) time.Time { return asTime(p[name]) }
func (p properties) list(name string) []any     { l, _ := p[name].([]any); return l }
func (p properties) bytes(name string) []byte   { return asBytes(p[name]) }

// asBytes is a text as JSON is kept; nil for none.
func asBytes(v any) []byte {
	if t := asText(v); t != "" {
		return []byte(t)
	}
	return nil
}

func plainProperties(p properties) map[string]any {
	m := make(map[string]any, len(p))
	for name, v := range p {
		m[name] = plainValue(v)
	}
	return m
}
