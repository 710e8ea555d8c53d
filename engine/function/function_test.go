package function_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/stepgraph/stepgraph/engine/function"
)

// A function is tested without an engine: it is called, and a Recorder holds what it said.
func TestAFunctionIsTestedByCallingIt(t *testing.T) {
	type in struct {
		Name string `json:"name"`
	}
	r := function.NewRegistry()
	function.Register(r, "greet", func(ctx context.Context, in in) (map[string]string, error) {
		call := function.CallOf(ctx)
		call.Say("Hello " + in.Name)
		call.Hear("hi")
		call.Speak("Hel")
		call.Token("why")
		call.Append("greeted", []json.RawMessage{[]byte(`"first"`)}, []json.RawMessage{[]byte(`"` + in.Name + `"`)})
		return map[string]string{"key": call.Key}, nil
	})
	heard := &function.Recorder{}
	ctx := function.WithSink(function.WithCall(t.Context(), &function.Call{Key: "s/greet/1/1"}), heard)
	out, err := r.Find("greet").Function.Call(ctx, json.RawMessage(`{"name": "Ada"}`))
	if err != nil || string(out) != `{"key":"s/greet/1/1"}` {
		t.Errorf("got %s, %v", out, err)
	}
	if len(heard.Said) != 1 || heard.Said[0] != "Hello Ada" || len(heard.Heard) != 1 || len(heard.Spoken) != 1 || len(heard.Tokens) != 1 {
		t.Errorf("recorded %+v", heard)
	}
	if got := string(heard.Named["greeted"]); got != `["first","Ada"]` {
		t.Errorf("named value is %s", got)
	}
	if _, err := r.Find("greet").Function.Call(t.Context(), json.RawMessage(`{"name": "Ada"}`)); err != nil {
		t.Errorf("without a sink: %v", err)
	}
}
