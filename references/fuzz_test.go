package references_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stepgraph/stepgraph/references"
)

var textSeeds = []string{
	"", "plain", "@{SESSION_ID}", "@{SESSION_ID}.gen.n", "@{SESSION_ID}.gen[-1].n|d", "@{sess}.gen[x]|d", "@{other}.a",
	"v @{SESSION_ID}.x.y|1,@{SESSION_ID}.vals.obj w.", " @{SESSION_ID}.x | @{SESSION_ID}.vals.nul | z ",
	"@{", "@{@{@{", "@{SESSION_ID}.gen[[[[", "@{SESSION_ID}.gen[0]é", "\xff@{SESSION_ID}.vals.esc\xfe", "@{SESSION_ID}.x|\x00\"\\",
	"@{SESSION_ID}.étape.clé", "@{SESSION_ID}.vals.objesc!", "@{SESSION_ID}.list.-1 @{SESSION_ID}.list[9]",
}

// FuzzParse checks what holds for every text, with whatever it refers to.
func FuzzParse(f *testing.F) {
	for _, seed := range textSeeds {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		template := references.Parse(text)
		refs := template.References()
		if template.HasReference() != (len(refs) > 0) || template.Text() != text {
			t.Fatalf("%q: has reference %t, references %v", text, template.HasReference(), refs)
		}
		for _, ref := range refs {
			again := references.Parse(ref.Text).References()
			if len(again) == 0 || again[0].Text != ref.Text || again[0].Step != ref.Step || again[0].Malformed != ref.Malformed {
				t.Fatalf("%q: reference %+v reads alone as %+v", text, ref, again)
			}
		}
		got, err := template.Resolve(scope)
		if err != nil {
			return
		}
		if got.Resolved != (len(got.Missing) == 0) || got.Resolved != json.Valid(got.Value) {
			t.Fatalf("%q: resolved %t, missing %v, value %s", text, got.Resolved, got.Missing, got.Value)
		}
		if got.Resolved && !utf8.Valid(got.Value) {
			t.Fatalf("%q: value is not UTF-8: %q", text, got.Value)
		}
		if again, err := template.Resolve(scope); err != nil || !reflect.DeepEqual(got, again) {
			t.Fatalf("%q: %+v, then %+v, %v", text, got, again, err)
		}
		checkBind(t, text)
	})
}

// checkBind checks that binding leaves nothing that would be pasted.
func checkBind(t *testing.T, text string) {
	program, bindings := references.Bind(text, func(int) string { return "\n" })
	if references.Parse(text).HasReference() != (len(bindings) > 0) {
		t.Fatalf("%q: bindings %v", text, bindings)
	}
	if references.Parse(program).HasReference() {
		t.Fatalf("%q: program %q still holds references", text, program)
	}
	for _, b := range bindings {
		if !b.Template.Lone() {
			t.Fatalf("%q: binding %q is not lone", text, b.Template.Text())
		}
	}
}

// FuzzResolve feeds inputs and the outputs they refer to.
func FuzzResolve(f *testing.F) {
	for _, seed := range textSeeds {
		quoted, err := json.Marshal(map[string]any{"a": seed, "code": []string{seed}})
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(quoted), outputs)
	}
	f.Add(`{"a":"@{SESSION_ID}.x[1][0].k"}`, `{"x":[1,[{"k":"\ud83d\ude00\ud83d"}]]}`)
	f.Add(`{"a":"v @{SESSION_ID}.x"}`, `{"x":[{"a" : "\/\u0000"}]`)
	f.Add(`[`, `{"x":`)
	f.Add(`{"a":{"@text":["@{SESSION_ID}.x",{"b":"@{SESSION_ID}.x|"}],"@join":"\n"},"code":{"@text":["@{SESSION_ID}.x",1]}}`, `{"x":["\""]}`)
	f.Add(`{"a":{"@text":[{"@text":[null,{"@literal":{"@text":[]}}]}],"@text":1},"raw":"@{SESSION_ID}.x"}`, `{"x":[{}]}`)
	f.Fuzz(func(t *testing.T, text, outputs string) {
		in, err := references.ParseValue([]byte(text))
		if (err == nil) != (json.Valid([]byte(text)) && utf8.ValidString(text)) && (err == nil || !strings.Contains(err.Error(), "@text nested")) {
			t.Fatalf("%q: %v", text, err)
		}
		if err != nil {
			return
		}
		scope := references.Scope{Session: "sess", Outputs: references.JSONOutputs(outputs)}
		if object, err := references.ParseInput([]byte(text)); err == nil && json.Valid([]byte(outputs)) {
			checkMembers(t, object, scope)
		}
		got, err := in.Resolve(scope)
		program, programs, perr := in.ResolveProgram(scope, references.ProgramField{Key: "code"})
		if (err == nil) != (perr == nil) {
			t.Fatalf("%q: %+v, %v; as program %+v, %v", text, got, err, program, perr)
		}
		if !json.Valid([]byte(outputs)) || err != nil {
			return
		}
		if got.Resolved && !json.Valid(got.Value) || program.Resolved && !json.Valid(program.Value) {
			t.Fatalf("%q with %q: %s, %s", text, outputs, got.Value, program.Value)
		}
		for key, p := range programs {
			if !json.Valid(p.Values) {
				t.Fatalf("%q: %s has values %s", text, key, p.Values)
			}
		}
		holdsForm := strings.Contains(text, "@text") || strings.Contains(text, "@literal") || strings.Contains(text, `\u00`)
		if !in.HasReference() && !holdsForm && !sameJSON(t, got.Value, []byte(text)) {
			t.Fatalf("%q became %s", text, got.Value)
		}
	})
}
