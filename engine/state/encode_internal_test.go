package state

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/stepgraph/stepgraph/internal/jsontext"
)

// TestDocumentIsWhatEncodingJSONWrites holds the stored text of the engine's own part to what
// encoding/json makes of the same fields, whichever of them are set.
func TestDocumentIsWhatEncodingJSONWrites(t *testing.T) {
	full := &document{}
	fill(reflect.ValueOf(full).Elem(), 0)
	keys := map[string]json.RawMessage{"b": []byte(`{"z":1.50,"a":"<&>"}`), "a\"\u2028\b<": []byte("null"), "": []byte("[]")}
	for name, d := range map[string]*document{
		"empty":    {},
		"full":     full,
		"before":   {beforeSeeds: full.beforeSeeds},
		"seeds":    {Seeds: keys},
		"no seeds": {Seeds: map[string]json.RawMessage{}},
		"after":    {afterSeeds: full.afterSeeds},
		"around":   {beforeSeeds: full.beforeSeeds, Seeds: keys, afterSeeds: full.afterSeeds},
	} {
		want, err := jsontext.Marshal(d)
		if err != nil {
			t.Fatal(err)
		}
		if got := d.appendJSON(nil, nil); string(got) != string(want) {
			t.Errorf("%s: the text is\n%s, want\n%s", name, got, want)
		}
		unknown := []jsontext.Field{{Key: "new<", Value: []byte("1.0")}, {Key: "b", Value: []byte("[ ]")}}
		got := d.appendJSON(nil, unknown)
		rest := jsontext.AppendFields(nil, unknown)
		if name == "empty" || name == "no seeds" {
			rest = rest[1:]
		}
		if all := string(want[:len(want)-1]) + string(rest) + "}"; string(got) != all {
			t.Errorf("%s: with unknown fields the text is\n%s, want\n%s", name, got, all)
		}
	}
}

// TestEachFieldAloneIsWhatEncodingJSONWrites: no field is left out of what is written without encoding/json,
// whether its step has nothing else or everything.
func TestEachFieldAloneIsWhatEncodingJSONWrites(t *testing.T) {
	full := &document{}
	fill(reflect.ValueOf(full).Elem(), 0)
	odd := &document{beforeSeeds: beforeSeeds{Entry: "a\"\u2028<é\x7f\\", Live: map[string]*LiveStep{
		"b\n": {Took: []TakenPath{{Path: "<p>"}, {Seq: 2, Path: "\xff", Jump: true}}}, "a": nil, "": {Visit: 1, Order: 2, Counted: true}}}}
	documents := map[string]*document{"odd": odd}
	only := func(name string, to, from reflect.Value, d *document) {
		to.Set(from)
		documents[name] = d
	}
	eachField(reflect.ValueOf(full).Elem(), func(path []int, field reflect.StructField) {
		d := &document{}
		only(field.Name, reflect.ValueOf(d).Elem().FieldByIndex(path), reflect.ValueOf(full).Elem().FieldByIndex(path), d)
	})
	var live *LiveStep
	for _, live = range full.Live {
		break
	}
	eachField(reflect.ValueOf(live).Elem(), func(path []int, field reflect.StructField) {
		l := &LiveStep{}
		only("live."+field.Name, reflect.ValueOf(l).Elem().FieldByIndex(path), reflect.ValueOf(live).Elem().FieldByIndex(path),
			&document{beforeSeeds: beforeSeeds{Order: 7, Live: map[string]*LiveStep{"a": l}}})
	})
	if len(documents) < 30 {
		t.Fatalf("looks at %d documents", len(documents))
	}
	for name, d := range documents {
		want, err := jsontext.Marshal(d)
		if err != nil {
			t.Fatal(err)
		}
		if got := d.appendJSON(nil, nil); string(got) != string(want) {
			t.Errorf("%s: the text is\n%s, want\n%s", name, got, want)
		}
	}
}

// eachField calls visit for each field, of embedded structs too.
func eachField(v reflect.Value, visit func(path []int, field reflect.StructField)) {
	for _, f := range reflect.VisibleFields(v.Type()) {
		if !f.Anonymous {
			visit(f.Index, f)
		}
	}
}

// TestSeedsAreCompact: the blanks in seeds of a state that a person has written are not stored again.
func TestSeedsAreCompact(t *testing.T) {
	const text = `{"id":"s","workflow":{},"last_evaluated":0,"data":{"outputs":{},"messages":[]},"engine":{"seeds":{"a":{"z":1.50,"b":[1,2]},"c":null}}}`
	s, err := Parse("s", []byte(`{"engine": {"seeds": {"a": { "z" : 1.50, "b": [1,  2] }, "c": null } } }`))
	if err != nil {
		t.Fatal(err)
	}
	if got := s.AppendJSON(nil); string(got) != text {
		t.Errorf("stored as\n%s, want\n%s", got, text)
	}
	s = New("s")
	s.Seed("a", json.RawMessage(`{ "z": 1.50, "b": [1, 2] }`))
	s.Seed("c", json.RawMessage("null "))
	if got := s.AppendJSON(nil); string(got) != text {
		t.Errorf("a seed given is stored as\n%s, want\n%s", got, text)
	}
}
