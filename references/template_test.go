package references_test

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/stepgraph/stepgraph/references"
)

const outputs = `{
	"gen": [{"response":"r0","n":10},{"response":"r1","n":11},{"response":"r2","n":1.50}],
	"vals": [{"nul":null,"f":false,"z":0,"e":"","num":1.0,"exp":1E+2,"obj":{ "b" : [ 1 , 2 ] , "a":"x" },
		"esc":"\u00e9\/\u003c\"\n\u0001\ud800 \ud83d\ude00","objesc":{"k\u00e9":"a\/b\"\u003c\\"},"ref":"@{SESSION_ID}.gen.n","list":[[1,2],[3,{"x":"deep"}]],"1":"one","":"nameless"}],
	"list": [["a","b","c"]],
	"scalar": {"v":1},
	"none": [],
	"étape": [{"naïve":"é","clé":"combined"}],
	"dup": [{"a":1,"a":2}],
	"my-step_2": [{"a-b_c":"dash"}],
	"نص": [{"名":"script"}],
	"hole": [null]
}`

var scope = references.Scope{Session: "sess", Outputs: references.JSONOutputs(outputs)}

const missing = "\x00missing"

// short writes @{SESSION_ID} for S in the tables below.
func short(text string) string { return strings.ReplaceAll(text, "§", "@{SESSION_ID}") }

func TestTexts(t *testing.T) {
	tests := []struct{ text, want string }{
		// lone references
		{"§.gen.n", `1.50`},
		{" \t§.gen.n\n", `1.50`},
		{"§.vals.exp", `1E+2`},
		{"§.vals.obj", `{ "b" : [ 1 , 2 ] , "a":"x" }`},
		{"§.gen[0].n", `10`},
		{"§.gen[-1].n", `1.50`},
		{"§.gen[-3].n", `10`},
		{"§.gen[-4].n", missing},
		{"§.gen[3].n", missing},
		{"§.gen[007]|d", `"d"`},
		{"§.gen[00000000000000000000000000001].n", `11`},
		{"§.gen[99999999999999999999999999]|d", `"d"`},
		{"§.gen[-99999999999999999999999999]|d", `"d"`},
		{"§.gen[-0].n", `10`},
		{"§", `"sess"`},
		{" § ", `"sess"`},
		{"§|d", `"sess"`},
		{"@{sess}.gen.n", `1.50`},
		{"@{sess}", `"sess"`},
		{"§.vals.nul", `null`},
		{"§.hole", `null`},
		{"§.vals.f|d", `false`},
		{"§.vals.z|d", `0`},
		{"§.vals.e|d", `""`},
		{"§.dup.a", `2`},
		{"§.none", missing},
		{"§.scalar.v", `1`},
		{"§.scalar[0].v", `1`},
		{"§.scalar[-1].v", `1`},
		{"§.scalar[1].v", missing},
		// into lists
		{"§.list[0]", `["a","b","c"]`},
		{"§.list[0][1]", `"b"`},
		{"§.list[-1][-1]", `"c"`},
		{"§.list.1", `"b"`},
		{"§.list.01", `"b"`},
		{"§.list.-1", `"c"`},
		{"§.list.3", missing},
		{"§.list.-4", missing},
		{"§.list.x", missing},
		{"§.vals.list[1][1].x", `"deep"`},
		{"§.vals.list.1.1.x", `"deep"`},
		{"§.vals.list[1].1.x", `"deep"`},
		{"§.vals.1", `"one"`},
		{"§.vals[0][1]", missing},
		{"§.gen.n.deeper", missing},
		{"§.gen.n[0]", missing},
		// names
		{"§.étape.naïve", `"é"`},
		{"§.étape.clé", `"combined"`},
		{"§.نص.名", `"script"`},
		{"§.my-step_2.a-b_c", `"dash"`},
		// defaults of lone references
		{"§.x.y|", `""`},
		{"§.x.y |  ", `""`},
		{"§.x.y | a b. ", `"a b."`},
		{"§.x.y|a|b", `"a|b"`},
		{"§.x.y||", `"|"`},
		{"§.x.y|{\"a\": 1}", `"{\"a\": 1}"`},
		{"§.vals.nul|d", `"d"`},
		{"§.x.y | §.gen.n", `1.50`},
		{"§.x.y | §.z.y | §.gen.n | never", `1.50`},
		{"§.x.y|§.z.y| last one ", `"last one"`},
		{"§.x.y|§.vals.nul", `null`},
		{"§.vals.nul|§.x.y", missing},
		{"§.vals.nul|§.vals.nul|", `""`},
		{"§.x.y|§", `"sess"`},
		{"§.x.y|@{", `"@{"`},
		// templates
		{"§.x.y|hi §.gen.n", `"hi 1.50"`},
		{"§.gen.response|hi §.gen.n", `"r2 1.50"`},
		{"I am §.gen.response.", `"I am r2."`},
		{"I am §.gen.response...", `"I am r2..."`},
		{"§.gen.response.\n", `"r2.\n"`},
		{"§.gen.response §.gen.n", `"r2 1.50"`},
		{"§.gen.response§.gen.n", `"r21.50"`},
		{"v §.vals.obj w", `"v {\"b\":[1,2],\"a\":\"x\"} w"`},
		{"v §.vals.num§.vals.exp§.vals.f", `"v 1.01E+2false"`},
		{"v §.vals.esc", `"v é/<\"\n\u0001\ud800 😀"`},
		{"v §.vals.objesc", `"v {\"ké\":\"a/b\\\"<\\\\\"}"`},
		{"v §.vals.nul", missing},
		{"v §.vals.nul|d", `"v d"`},
		{"v §.vals.nul|", `"v "`},
		{"v §.vals.nul|§.vals.nul", missing},
		{"v §.vals.ref", `"v @{SESSION_ID}.gen.n"`},
		{"§.vals.ref §.gen.n", `"@{SESSION_ID}.gen.n 1.50"`},
		{"§ v1.0", `"sess v1.0"`},
		{"§abc", `"sessabc"`},
		{"§[0]", `"sess[0]"`},
		{"§.", `"sess."`},
		{"§..gen", `"sess..gen"`},
		{"x{§.gen.n}", `"x{1.50}"`},
		{"[§.gen.n]", `"[1.50]"`},
		{"[§.gen[0].n]", `"[10]"`},
		{"(§.gen[0])", `"({\"response\":\"r0\",\"n\":10})"`},
		{"§.gen.n]x", `"1.50]x"`},
		{"v §.x.y| w", `"v  w"`},
		{"v §.x.y | w", missing},
		{"v §.x.y|friend!? w", `"v friend!? w"`},
		{"v §.gen.n|friend!? w", `"v 1.50!? w"`},
		{"v §.x.y|a.b:c;d w", `"v a.b:c;d w"`},
		{`v "§.x.y|d".`, `"v \"d\"."`},
		{"v §.x.y|...", `"v ..."`},
		{"v §.gen.n|... w", `"v 1.50... w"`},
		{"v §.x.y|me@example.com w", `"v me@example.com w"`},
		{"v §.gen.n|me@example.com w", `"v 1.50 w"`},
		{"v §.x.y|§.gen.n. w", `"v 1.50. w"`},
		{"v §.x.y|§.z.y|d, w", `"v d, w"`},
		{"v §.x.y|§.z.y w", missing},
		{"v §.x.y|1,§.z.y|2!", `"v 1,2!"`},
		{"v §.gen.n|1,§.gen.response|2!", `"v 1.50,r2!"`},
		{"v §.x.y|a\u00a0b", `"v a` + "\u00a0" + `b"`},
		{"§.x.y|a §.x.y|b", `"a b"`},
		// no references
		{"", `""`},
		{"yes|no", `"yes|no"`},
		{"@{", `"@{"`},
		{"@{}", `"@{}"`},
		{"@{ SESSION_ID }.x", `"@{ SESSION_ID }.x"`},
		{"@{a{b}", `"@{a{b}"`},
		{"@@{{x}}", `"@@{{x}}"`},
		{"a\x00\"\\\u2028<&>\x7f", `"a\u0000\"\\` + "\u2028<&>\x7f" + `"`},
		{"a\xffb", `"a` + "\uFFFD" + `b"`},
		{"a\xffb§.gen.n\xfe", `"a` + "\uFFFD" + `b1.50` + "\uFFFD" + `"`},
		// malformed: missing, default or not
		{"§.gen[x].response", missing},
		{"§.gen[x].response|d", missing},
		{"§.gen[", missing},
		{"§.gen[|d", missing},
		{"§.gen[0", missing},
		{"§.gen[]", missing},
		{"§.gen[ 0 ]", missing},
		{"§.gen[+0]", missing},
		{"§.gen[-]", missing},
		{"§.gen[0]x.response", missing},
		{"§.gen[0]_|d", missing},
		{"§.gen[0]-", missing},
		{"§.gen[0]é", missing},
		{"§.gen[0]\u0301", missing},
		{"§.gen[0][x]", missing},
		{"§.gen.n[y]|d", missing},
		{"v §.gen[x] w", missing},
		{"§.x.y|§.gen[x]|d", missing},
		{"§.gen[§.gen.n]", missing},
		{"§.gen.n|§.gen[x]", `1.50`},
	}
	for _, test := range tests {
		text := short(test.text)
		got, err := references.Parse(text).Resolve(scope)
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		value := string(got.Value)
		if !got.Resolved {
			value = missing
		}
		if value != test.want {
			t.Errorf("%q gives %s, want %s", text, value, test.want)
		}
		if got.Resolved != (len(got.Missing) == 0) {
			t.Errorf("%q: resolved %t with missing %v", text, got.Resolved, got.Missing)
		}
	}
}

func TestMissingSaysWhy(t *testing.T) {
	tests := []struct {
		text string
		want []references.Missing
	}{
		{"§.x.y", []references.Missing{{"§.x.y", "x", `step "x" has no output`}}},
		{"§.gen[7]", []references.Missing{{"§.gen[7]", "gen", `step "gen" has no output at index 7`}}},
		{"§.gen.nope", []references.Missing{{"§.gen.nope", "gen", `the output has no field "nope"`}}},
		{"§.gen.n.x", []references.Missing{{"§.gen.n.x", "gen", `"n" is a number, which has no x`}}},
		{"§.gen.response[1]", []references.Missing{{"§.gen.response[1]", "gen", `"response" is text, which has no [1]`}}},
		{"§.vals[0][1]", []references.Missing{{"§.vals[0][1]", "vals", `the output is an object, which has no [1]`}}},
		{"§.vals.list[2]", []references.Missing{{"§.vals.list[2]", "vals", `"list" is a list of 2 without an item 2`}}},
		{"§.vals.list[-3]", []references.Missing{{"§.vals.list[-3]", "vals", `"list" is a list of 2 without an item -3`}}},
		{"§.vals.list.x", []references.Missing{{"§.vals.list.x", "vals", `"list" is a list, which has no field "x"`}}},
		{"§.hole.x", []references.Missing{{"§.hole.x", "hole", `the output is null, which has no x`}}},
		{"§.vals.f.x", []references.Missing{{"§.vals.f.x", "vals", `"f" is a boolean, which has no x`}}},
		{"v §.vals.nul", []references.Missing{{"§.vals.nul", "vals", `its value is null`}}},
		{"§.gen[x].a", []references.Missing{{"§.gen[x].a", "gen", `malformed: "[x]" is not an index: a number must stand between the brackets`}}},
		{"§.gen[0 ", []references.Missing{{"§.gen[0", "gen", `malformed: "[0" is not closed`}}},
		{"v §.gen[0]th!", []references.Missing{{"§.gen[0]th", "gen", `malformed: "th" stands directly after "[0]"`}}},
		{"§.a.x §.b.x §.a.x", []references.Missing{
			{"§.a.x", "a", `step "a" has no output`}, {"§.b.x", "b", `step "b" has no output`}}},
		{"§.a.x|§.vals.nul|§.b.x", []references.Missing{
			{"§.a.x", "a", `step "a" has no output`}, {"§.vals.nul", "vals", `its value is null`}, {"§.b.x", "b", `step "b" has no output`}}},
	}
	for _, test := range tests {
		for i := range test.want {
			test.want[i].Reference = short(test.want[i].Reference)
		}
		got, err := references.Parse(short(test.text)).Resolve(scope)
		if err != nil || !reflect.DeepEqual(got.Missing, test.want) {
			t.Errorf("%s misses %+v, %v, want %+v", test.text, got.Missing, err, test.want)
		}
		if got.Value != nil || got.Reads != nil {
			t.Errorf("%s is unresolved but has value %s, reads %v", test.text, got.Value, got.Reads)
		}
	}
}

func TestReads(t *testing.T) {
	text := short("§.x.y|§.gen[1].n §.gen[-2].n §.gen.n|d §.gen.n § §.z.z|d")
	got, err := references.Parse(text).Resolve(scope)
	if err != nil {
		t.Fatal(err)
	}
	want := []references.Read{
		{Reference: short("§.gen[1].n"), Step: "gen", Index: 1},
		{Reference: short("§.gen[-2].n"), Step: "gen", Index: -2},
		{Reference: short("§.gen.n"), Step: "gen", Index: -1},
	}
	if !reflect.DeepEqual(got.Reads, want) {
		t.Errorf("reads %+v, want %+v", got.Reads, want)
	}
	if string(got.Value) != `"11 11 1.50 1.50 sess d"` {
		t.Errorf("value %s", got.Value)
	}
}

func TestForeignSession(t *testing.T) {
	for _, text := range []string{
		"@{other}.gen.n", "@{other}", "@{session_id}.gen.n|d", "v @{other}.gen.n", "§.gen.n|@{other}.gen.n", "@{other}.gen[x]",
	} {
		_, err := references.Parse(short(text)).Resolve(scope)
		var foreign *references.ForeignSessionError
		if !errors.As(err, &foreign) || !strings.Contains(err.Error(), foreign.Session) {
			t.Errorf("%s: error %v, want a ForeignSessionError", text, err)
		}
	}
	in, err := references.ParseInput([]byte(`{"a":[{"b":"@{parent/step/1/0}.gen.n"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := in.Resolve(scope); err == nil {
		t.Error("an input that names another session resolves")
	}
	child := references.Scope{Session: "parent/step/1/0", Outputs: scope.Outputs}
	if got, err := in.Resolve(child); err != nil || string(got.Value) != `{"a":[{"b":1.50}]}` {
		t.Errorf("its own id gives %s, %v", got.Value, err)
	}
}

type brokenOutputs struct{ err error }

func (b brokenOutputs) Output(string, int) (json.RawMessage, bool, error) { return nil, false, b.err }

func TestReadErrorIsNotMissing(t *testing.T) {
	broken := errors.New("disk on fire")
	for _, text := range []string{"§.gen.n", "§.gen.n|d", "v §.gen.n|d", "§.gen.n §.x.y"} {
		got, err := references.Parse(short(text)).Resolve(references.Scope{Outputs: brokenOutputs{broken}})
		if !errors.Is(err, broken) || got.Resolved || got.Missing != nil {
			t.Errorf("%s: %+v, %v, want the read error", text, got, err)
		}
		if err != nil && !strings.HasPrefix(err.Error(), "resolve @{SESSION_ID}.gen.n: ") {
			t.Errorf("%s: error %q does not name the reference", text, err)
		}
	}
}

func TestNoOutputs(t *testing.T) {
	for _, outputs := range []references.Outputs{nil, references.JSONOutputs(nil), references.JSONOutputs(" "), references.JSONOutputs("[]"), references.JSONOutputs("null")} {
		got, err := references.Parse("@{SESSION_ID}.a.b|d").Resolve(references.Scope{Outputs: outputs})
		if err != nil || string(got.Value) != `"d"` {
			t.Errorf("%v: %s, %v", outputs, got.Value, err)
		}
	}
	if got, err := (references.Template{}).Resolve(references.Scope{}); err != nil || string(got.Value) != `""` {
		t.Errorf("zero template gives %s, %v", got.Value, err)
	}
}

func TestReferences(t *testing.T) {
	got := references.Parse(short("v §.a[2].b[-1].0|§.c|d and § §.e[x]")).References()
	want := []references.Reference{
		{Text: short("§.a[2].b[-1].0"), Session: "SESSION_ID", Step: "a", Index: 2, HasIndex: true, Fields: []string{"b", "[-1]", "0"}, HasDefault: true},
		{Text: short("§.c"), Session: "SESSION_ID", Step: "c", Index: -1, HasDefault: true},
		{Text: short("§"), Session: "SESSION_ID", Index: -1},
		{Text: short("§.e[x]"), Session: "SESSION_ID", Step: "e", HasIndex: true,
			Malformed: `"[x]" is not an index: a number must stand between the brackets`},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("references\n%+v, want\n%+v", got, want)
	}
}
