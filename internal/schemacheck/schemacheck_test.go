package schemacheck_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stepgraph/stepgraph/internal/schemacheck"
)

func TestCheck(t *testing.T) {
	tests := []struct{ name, schema, value, want string }{
		{"fits", `{"type":"string"}`, `"x"`, ""},
		{"true takes anything", `true`, `[1]`, ""},
		{"false takes nothing", `false`, `1`, "false schema"},
		{"wrong type", `{"type":"string"}`, `7`, "got number, want string"},
		{"place", `{"properties":{"a/b":{"items":{"type":"integer"}}}}`, `{"a/b":[1,2.5]}`, "/a~1b/1: got number, want integer"},
		{"missing", `{"required":["n"]}`, `{}`, "missing property 'n'"},
		{"enum", `{"enum":["a","b"]}`, `"c"`, "value must be one of 'a', 'b'"},
		{"format is asserted", `{"format":"email"}`, `"nobody"`, "'nobody' is not valid email: missing @"},
		{"unknown format is not", `{"format":"shoe-size"}`, `"x"`, ""},
		{"format beside others", `{"format":"date","minLength":30}`, `"2025-01-31"`, "minLength: got 10, want 30"},
		{"ref inside", `{"$defs":{"n":{"type":"number"}},"$ref":"#/$defs/n"}`, `"x"`, "got string, want number"},
		{"ref to its id", `{"$id":"https://example.com/s","$defs":{"n":{"type":"number"}},"$ref":"#/$defs/n"}`, `"x"`, "got string, want number"},
		{"draft 7", `{"$schema":"http://json-schema.org/draft-07/schema#","items":[{"type":"string"}]}`, `[1]`, "/0: got number, want string"},
		{"not JSON", `{}`, `{"a":`, "not JSON: unexpected EOF"},
		{"two values", `{}`, `1 2`, "not JSON: something follows the value"},
		{"huge exponent", `{"multipleOf":3}`, `1e999999999`, "number with exponent 999999999 is out of range"},
		{"each once", `{"anyOf":[{"type":"string"},{"type":"string"}]}`, `1`, "got number, want string"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			schema, err := schemacheck.Compile([]byte(test.schema))
			if err != nil {
				t.Fatal(err)
			}
			for range 2 { // the second time with a form from the pool
				if got := text(schema.Check([]byte(test.value))); got != test.want {
					t.Errorf("Check(%s) = %q, want %q", test.value, got, test.want)
				}
			}
		})
	}
}

func TestCompileRefuses(t *testing.T) {
	tests := []struct{ name, schema, want string }{
		{"no JSON", `{`, "not JSON"},
		{"no schema", `{"type":"strnig"}`, "/type: value must be one of"},
		{"a list", `[]`, "got array, want boolean or object"},
		{"remote", `{"$ref":"https://example.com/other.json"}`, "references may only lead into the schema itself"},
		{"file", `{"$ref":"file:///etc/passwd"}`, "references may only lead into the schema itself"},
		{"remote draft", `{"$schema":"https://example.com/draft"}`, "references may only lead into the schema itself"},
		{"nowhere", `{"$ref":"#/$defs/none"}`, "/$defs/none"},
		{"dynamic", `{"$dynamicRef":"#x"}`, "$dynamicRef is not supported"},
		{"pattern", `{"pattern":"("}`, "regex"},
		{"huge number", `{"minimum":1e999999999}`, "out of range"},
		{"too deep", strings.Repeat(`{"allOf":[`, 101) + "{}" + strings.Repeat("]}", 101), "nested more than 200 levels deep"},
		{"too long", `{"title":"` + strings.Repeat("x", schemacheck.MaxText) + `"}`, "too long"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := schemacheck.Compile([]byte(test.schema))
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("Compile = %v, want an error with %q", err, test.want)
			}
		})
	}
}

// Small schemas whose plain evaluation would take longer than anybody lives.
func TestHostileSchemasEnd(t *testing.T) {
	deep := strings.Repeat("[", 60) + strings.Repeat("]", 60)
	tests := []struct{ name, schema, value string }{
		{"all of", doubling("allOf", `{}`), `1`},
		{"any of that fails", doubling("anyOf", `{"type":"string"}`), `1`},
		{"any of that fails below not", strings.Replace(doubling("anyOf", `{"type":"string"}`), `"$ref":"#/$defs/d0"`, `"not":{"$ref":"#/$defs/d0"}`, 1), `1`},
		{"with formats", strings.ReplaceAll(doubling("anyOf", `{"type":"string"}`), `{"anyOf"`, `{"format":"email","anyOf"`), `1`},
		{"draft 7", `{"$schema":"http://json-schema.org/draft-07/schema#",` + doubling("anyOf", `{"type":"string"}`)[1:], `1`},
		{"recursion along the value", `{"allOf":[{"items":{"$ref":"#"}},{"items":{"$ref":"#"}}]}`, deep},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			schema, err := schemacheck.Compile([]byte(test.schema))
			if err != nil {
				t.Fatal(err)
			}
			start := time.Now()
			got := text(schema.Check([]byte(test.value)))
			if !strings.Contains(got, "takes too long") {
				t.Errorf("Check = %q", got)
			}
			if took := time.Since(start); took > 20*time.Second {
				t.Errorf("took %s", took)
			}
		})
	}
}

// TestPatternsAreWork: patterns whose matching takes long are refused within a bound of time,
// alone, many together, in property names and in references that multiply them.
func TestPatternsAreWork(t *testing.T) {
	slow := `"^(([a-z]{1,30}){1,30}[0-9])$"`
	long := `"` + strings.Repeat("a", 1<<20) + `"`
	var many, names []string
	for i := range 120 {
		many = append(many, fmt.Sprintf(`{"pattern":"^(a?){200}%d$"}`, i))
		names = append(names, fmt.Sprintf(`"^(a?){200}%d$":{}`, i))
	}
	for name, c := range map[string][2]string{
		"one":        {`{"pattern":` + slow + `}`, long},
		"many":       {`{"anyOf":[` + strings.Join(many, ",") + `]}`, `"` + strings.Repeat("a", 20_000) + `"`},
		"properties": {`{"patternProperties":{` + strings.Join(names, ",") + `}}`, `{"` + strings.Repeat("a", 20_000) + `":1}`},
		"items":      {`{"items":{"pattern":` + slow + `}}`, "[" + strings.Repeat(`"`+strings.Repeat("a", 1000)+`",`, 1000) + "1]"},
	} {
		schema, err := schemacheck.Compile([]byte(c[0]))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		began := time.Now()
		if got := text(schema.Check([]byte(c[1]))); !strings.Contains(got, "takes too long") {
			t.Errorf("%s: %.200q", name, got)
		}
		if took := time.Since(began); took > 15*time.Second {
			t.Errorf("%s took %s", name, took)
		} else {
			t.Logf("%s: refused after %s", name, took)
		}
	}
	for _, c := range []string{`{"pattern":"` + strings.Repeat("a{1000}", 1000) + `"}`, `{"anyOf":[` + strings.Repeat(strings.Join(many, ",")+",", 20) + "true]}"} {
		if _, err := schemacheck.Compile([]byte(c)); err == nil || !strings.Contains(err.Error(), "too large together") {
			t.Errorf("a schema with %d bytes of patterns: %v", len(c), err)
		}
	}
	// What people write is far below the bound.
	schema, err := schemacheck.Compile([]byte(`{"items":{"type":"string","pattern":"^[^@ ]+@[^@ ]+\\.[a-z]{2,}$","maxLength":100}}`))
	if err != nil {
		t.Fatal(err)
	}
	if got := schema.Check([]byte("[" + strings.Repeat(`"somebody.with.a.long.name@mail.example.com",`, 20_000) + `"a@b.cc"]`)); got != nil {
		t.Errorf("20,000 addresses: %v", got)
	}
}

func TestEndlessReference(t *testing.T) {
	schema, err := schemacheck.Compile([]byte(`{"$ref":"#"}`))
	if err != nil {
		return // refused at once is as good
	}
	if schema.Check([]byte(`1`)) == nil {
		t.Error("a schema that only refers to itself took a value")
	}
}

func TestConcurrentChecks(t *testing.T) {
	schema, err := schemacheck.Compile([]byte(`{"type":"object","required":["a"]}`))
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for i := range 20 {
		all.Go(func() {
			value, want := `{"a":1}`, 0
			if i%2 == 0 {
				value, want = `{}`, 1
			}
			if got := schema.Check([]byte(value)); len(got) != want {
				t.Errorf("Check(%s) = %v", value, got)
			}
		})
	}
	all.Wait()
}

// doubling builds a schema of forty definitions that each enter the next one twice.
func doubling(word, last string) string {
	var b strings.Builder
	b.WriteString(`{"$ref":"#/$defs/d0","$defs":{`)
	for i := range 40 {
		next := fmt.Sprintf(`{"$ref":"#/$defs/d%d"}`, i+1)
		fmt.Fprintf(&b, `"d%d":{"%s":[%s,%s]},`, i, word, next, next)
	}
	b.WriteString(`"d40":` + last + `}}`)
	return b.String()
}

func text(faults []schemacheck.Fault) string {
	var lines []string
	for _, f := range faults {
		lines = append(lines, f.String())
	}
	return strings.Join(lines, "; ")
}
