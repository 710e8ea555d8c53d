package references_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stepgraph/stepgraph/references"
	"pgregory.net/rapid"
)

var names = []string{"a", "b", "0", "1", "-1", "é", "x_y"}

// drawValue draws a JSON value as encoding/json decodes it.
func drawValue(t *rapid.T, depth int) any {
	kinds := 5
	if depth > 0 {
		kinds = 7
	}
	switch rapid.IntRange(0, kinds).Draw(t, "kind") {
	case 0:
		return nil
	case 1:
		return rapid.Bool().Draw(t, "bool")
	case 2:
		return json.Number(rapid.SampledFrom([]string{"0", "1.0", "-3", "1E+21", "123456789012345678901"}).Draw(t, "number"))
	case 3, 4, 5:
		return rapid.String().Draw(t, "text")
	case 6:
		list := []any{}
		for range rapid.IntRange(0, 3).Draw(t, "length") {
			list = append(list, drawValue(t, depth-1))
		}
		return list
	}
	object := map[string]any{}
	for _, name := range rapid.SliceOfN(rapid.SampledFrom(names), 0, 4).Draw(t, "keys") {
		object[name] = drawValue(t, depth-1)
	}
	return object
}

// encode writes a value, with blanks and with escapes that JSON does not require
// when loose is set.
func encode(t *rapid.T, value any, loose bool) []byte {
	var to bytes.Buffer
	encoder := json.NewEncoder(&to)
	encoder.SetEscapeHTML(loose)
	if loose {
		encoder.SetIndent("\t", "  ")
	}
	if err := encoder.Encode(value); err != nil {
		t.Fatal(err)
	}
	return bytes.TrimSpace(to.Bytes())
}

// at follows a path through decoded JSON: the model of walking the text.
func at(value any, path []string) (any, bool) {
	for _, f := range path {
		name, bracket := strings.CutPrefix(strings.TrimSuffix(f, "]"), "[")
		var n int
		_, err := fmt.Sscanf(name, "%d", &n)
		switch in := value.(type) {
		case map[string]any:
			next, ok := in[name]
			if bracket || !ok {
				return nil, false
			}
			value = next
		case []any:
			if n < 0 {
				n += len(in)
			}
			if err != nil || n < 0 || n >= len(in) {
				return nil, false
			}
			value = in[n]
		default:
			return nil, false
		}
	}
	return value, true
}

func written(path []string) string {
	var b strings.Builder
	for _, f := range path {
		if f[0] != '[' {
			b.WriteByte('.')
		}
		b.WriteString(f)
	}
	return b.String()
}

func TestWalkingMatchesDecoding(t *testing.T) {
	steps := append([]string{"[0]", "[1]", "[-1]"}, names...)
	rapid.Check(t, func(t *rapid.T) {
		output := drawValue(t, 4)
		path := rapid.SliceOfN(rapid.SampledFrom(steps), 0, 4).Draw(t, "path")
		if len(path) > 0 && path[0][0] == '[' {
			path = slices.Insert(path, 0, "[0]") // the first index chooses the output
		}
		way := path
		if len(path) > 0 && path[0][0] == '[' {
			way = path[1:]
		}
		text := "@{SESSION_ID}.step" + written(path)
		outputs := encode(t, map[string]any{"other": 1, "step": []any{output}}, rapid.Bool().Draw(t, "loose"))
		got, err := references.Parse(text).Resolve(references.Scope{Outputs: references.JSONOutputs(outputs)})
		want, ok := at(output, way)
		if err != nil || got.Resolved != ok {
			t.Fatalf("%s in %s: resolved %t, %v, want %t", text, outputs, got.Resolved, err, ok)
		}
		if !ok {
			return
		}
		var compact bytes.Buffer
		if err := json.Compact(&compact, got.Value); err != nil {
			t.Fatal(err)
		}
		var value any
		decoder := json.NewDecoder(&compact)
		decoder.UseNumber()
		if err := decoder.Decode(&value); err != nil || !bytes.Equal(encode(t, value, false), encode(t, want, false)) {
			t.Fatalf("%s in %s gives %s, want %v", text, outputs, got.Value, want)
		}
	})
}

var separators = strings.NewReplacer(`\u2028`, "\u2028", `\u2029`, "\u2029")

// TestTextForms checks the text of values in a template against encoding/json,
// whatever the escapes in the state.
func TestTextForms(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		output := drawValue(t, 3)
		outputs := encode(t, map[string]any{"step": []any{output}}, rapid.Bool().Draw(t, "loose"))
		got, err := references.Parse("<@{SESSION_ID}.step|none.").Resolve(references.Scope{Outputs: references.JSONOutputs(outputs)})
		if err != nil {
			t.Fatal(err)
		}
		var text string
		if err := json.Unmarshal(got.Value, &text); err != nil {
			t.Fatalf("%s: %v", got.Value, err)
		}
		want := string(encode(t, output, false))
		// encoding/json escapes two separators, which JSON does not require.
		want = separators.Replace(want)
		switch output := output.(type) {
		case nil:
			want = "none"
		case string:
			want = output
		}
		if want = "<" + want + "."; text != want {
			t.Fatalf("%s gives %q, want %q", outputs, text, want)
		}
	})
}

// TestTemplatesMatchTheirParts draws a template piece by piece and knows what
// each piece comes to.
func TestTemplatesMatchTheirParts(t *testing.T) {
	parts := []struct{ text, want string }{
		{"@{SESSION_ID}.s.text", "T"}, {"@{SESSION_ID}.s[0].n", "1.0"}, {"@{SESSION_ID}.s.no|d", "d"}, {"@{SESSION_ID}.s.nul|", ""},
		{"@{SESSION_ID}.s.no|@{sess}.s.text", "T"}, {"@{SESSION_ID}", "sess"}, {"@{SESSION_ID}.s.text|d", "T"},
	}
	// Each glue begins with something that ends a default and a name.
	glue := []string{" ", ". ", ", and ", "\n", ") [x] ", "! é "}
	scope := references.Scope{Session: "sess", Outputs: references.JSONOutputs(`{"s":[{"text":"T","n":1.0,"nul":null}]}`)}
	rapid.Check(t, func(t *rapid.T) {
		text, want := "start ", "start "
		for range rapid.IntRange(1, 6).Draw(t, "parts") {
			part := rapid.SampledFrom(parts).Draw(t, "part")
			between := rapid.SampledFrom(glue).Draw(t, "glue")
			text, want = text+part.text+between, want+part.want+between
		}
		got, err := references.Parse(text).Resolve(scope)
		var value string
		if err != nil || json.Unmarshal(got.Value, &value) != nil || value != want {
			t.Fatalf("%q gives %s, %v, want %q", text, got.Value, err, want)
		}
	})
}
