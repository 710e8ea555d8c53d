package references_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/stepgraph/stepgraph/references"
)

// membersOf reads the members of an object as encoding/json does, in order. If a name occurs
// twice, the last value counts, in the place of the first.
func membersOf(t *testing.T, object []byte) (members []references.Member) {
	decoder := json.NewDecoder(bytes.NewReader(object))
	if _, err := decoder.Token(); err != nil {
		t.Fatalf("%s: %v", object, err)
	}
	places := map[string]int{}
	for decoder.More() {
		name, err := decoder.Token()
		if err != nil {
			t.Fatalf("%s: %v", object, err)
		}
		var value json.RawMessage
		var compact bytes.Buffer
		if err := decoder.Decode(&value); err != nil || json.Compact(&compact, value) != nil {
			t.Fatalf("%s: %v", object, err)
		}
		if at, twice := places[name.(string)]; twice {
			members[at].Value = compact.Bytes()
			continue
		}
		places[name.(string)] = len(members)
		members = append(members, references.Member{Name: name.(string), Value: compact.Bytes()})
	}
	return members
}

// checkMembers compares the members of a resolved input with those that its text has.
func checkMembers(t *testing.T, in *references.Input, scope references.Scope) {
	t.Helper()
	plain, err := in.Resolve(scope)
	program, _, programErr := in.ResolveProgram(scope, references.ProgramField{Key: "code"})
	if err != nil || programErr != nil {
		return
	}
	for _, result := range []references.Result{plain, program} {
		if !result.Resolved {
			if result.Members != nil {
				t.Fatalf("members %v of what is not resolved", result.Members)
			}
			continue
		}
		want := membersOf(t, result.Value)
		if len(want) != len(result.Members) {
			t.Fatalf("%s has members %s", result.Value, result.Members)
		}
		for i, m := range result.Members {
			if m.Name != want[i].Name || !bytes.Equal(m.Value, want[i].Value) {
				t.Fatalf("%s: member %d is %q: %s, want %q: %s", result.Value, i, m.Name, m.Value, want[i].Name, want[i].Value)
			}
		}
	}
}

func TestMembers(t *testing.T) {
	scope := references.Scope{Session: "s", Outputs: references.JSONOutputs(`{"x":[{"n":12345678901234567890.10,"t":"a \"b\" : {,}","o":{ "z" : 1, "a" : [ 1 , 2 ] }}]}`)}
	for _, text := range []string{
		`{}`, ` { } `, `{"a":1}`, `{"a": {"b": [1, {"c": "}"}]}, "d" : "x, y: z", "e":null}`,
		`{"code":"return @{SESSION_ID}.x.n","n":"@{SESSION_ID}.x.n","t":"say @{SESSION_ID}.x.t","o":"@{SESSION_ID}.x.o","all":["@{SESSION_ID}.x.o",{"k":"@{SESSION_ID}"}]}`,
		`{"a":"@{SESSION_ID}.x.n","b":2,"a":"@{SESSION_ID}.x.t","b":"@{SESSION_ID}","\u0061":true}`,
		`{"none":"@{SESSION_ID}.y","a":1}`, `{"with":"@{SESSION_ID}.y|a default","a":1}`,
		`{"t":{"@text":["@{SESSION_ID}.x.n",{"b":"@{SESSION_ID}.x.t"}],"@join":" "},"l":{"@literal":{"@text": [ ]}},"z":1}`,
		`{"@text":["@{SESSION_ID}"],"@join":","}`,
	} {
		in, err := references.ParseInput([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		checkMembers(t, in, scope)
	}
}
