package flowise_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stepgraph/stepgraph/compat/flowise"
	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/engine/function"
)

// drawn is a document of nodes and edges a>b or a:0>b; every input of a node accepts variables.
func drawn(nodes []string, edges string) string {
	var list []string
	for _, one := range strings.Fields(edges) {
		from, to, _ := strings.Cut(one, ">")
		source, handle, _ := strings.Cut(from, ":")
		list = append(list, fmt.Sprintf(`{"source":%q,"sourceHandle":"%s-output-%s","target":%q}`, source, source, handle, to))
	}
	return `{"nodes":[` + strings.Join(nodes, ",") + `],"edges":[` + strings.Join(list, ",") + `]}`
}

func drawnNode(t *testing.T, id, kind, parent string, inputs any) string {
	t.Helper()
	given, err := json.Marshal(inputs)
	if err != nil {
		t.Fatal(err)
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(given, &fields); err != nil {
		t.Fatal(err)
	}
	var params []map[string]any
	for name := range fields {
		params = append(params, map[string]any{"name": name, "acceptVariable": true})
	}
	accepts, _ := json.Marshal(params)
	return fmt.Sprintf(`{"id":%q,"parentNode":%q,"data":{"name":%q,"label":%q,"inputParams":%s,"inputs":%s}}`, id, parent, kind, id, accepts, given)
}

type object = map[string]any

// record plays a flow and returns what Flowise would have recorded of it.
func (r running) record(id, document string, q engine.StartRequest, answer json.RawMessage) (*engine.Session, []flowise.Entry) {
	r.t.Helper()
	w := r.put(id, document)
	q.Workflow = w.ID
	session := r.play(q)
	if answer != nil {
		if _, err := r.Answer(r.t.Context(), engine.AnswerRequest{Session: session.ID, Response: answer}); err != nil {
			r.t.Fatal(err)
		}
		session = r.rest(r.t.Context(), session.ID)
	}
	list, err := r.Executions(r.t.Context(), session.ID, engine.HistoryQuery{Limit: 500, Lineage: true})
	if err != nil {
		r.t.Fatal(err)
	}
	return session, flowise.Executed(flowise.Run{Workflow: w, Session: session, Executions: list})
}

func entryOf(t *testing.T, entries []flowise.Entry, node string) flowise.Entry {
	t.Helper()
	for _, e := range slices.Backward(entries) {
		if e.NodeID == node {
			return e
		}
	}
	t.Fatalf("%s has no entry", node)
	return flowise.Entry{}
}

// eachLogic plays the cases of one function.
func eachLogic(t *testing.T, file, fn string, play func(t *testing.T, c logicCase)) {
	t.Helper()
	played := 0
	for _, c := range logic(t, file) {
		if c.Fn != fn {
			continue
		}
		played++
		t.Run(c.ID, func(t *testing.T) { play(t, c) })
	}
	if played == 0 {
		t.Errorf("no case of %s was played", fn)
	}
}

func decode(t *testing.T, text json.RawMessage, into any) {
	t.Helper()
	if err := json.Unmarshal(text, into); err != nil {
		t.Fatal(err)
	}
}

func same(t *testing.T, what string, got, want json.RawMessage) {
	t.Helper()
	if !sameJSON(string(got), string(want)) {
		t.Errorf("%s is %s, want %s", what, got, want)
	}
}

// What a start shows, and the state it leaves.
func TestStarts(t *testing.T) {
	r := start(t, nil, nil)
	eachLogic(t, "state", "Start.run", func(t *testing.T, c logicCase) {
		r := running{r.Engine, t}
		var in struct {
			Inputs  json.RawMessage
			Input   string
			Runtime struct{ State, Form json.RawMessage }
		}
		var want struct{ Output, State json.RawMessage }
		decode(t, c.Input, &in)
		document := drawn([]string{drawnNode(t, "startAgentflow_0", "startAgentflow", "", in.Inputs)}, "")
		if c.Error != "" {
			if _, err := flowise.Parse("x.json", []byte(document)); err == nil || !strings.Contains(err.Error(), c.Error) {
				t.Errorf("%v, want %q", err, c.Error)
			}
			return
		}
		if len(in.Runtime.Form) > 2 {
			return // of a resumed run; here its start does not run again
		}
		decode(t, c.Output, &want)
		q := engine.StartRequest{Inputs: json.RawMessage(fmt.Sprintf(`{"question":%q}`, in.Input)), Outputs: map[string]json.RawMessage{}}
		if key, value, isForm := strings.Cut(in.Input, ": "); isForm {
			q.Inputs = json.RawMessage(fmt.Sprintf(`{"form":{%q:%q}}`, key, value))
		}
		if in.Input == "" {
			q.Inputs = nil
		}
		if in.Runtime.State != nil {
			q.Outputs["state"] = in.Runtime.State
		}
		_, entries := r.record("start-"+c.ID, document, q, nil)
		e := entryOf(t, entries, "startAgentflow_0")
		same(t, "output", e.Data.Output, want.Output)
		same(t, "state", e.Data.State, want.State)
	})
}

// Over what an iteration goes.
func TestIterationInputs(t *testing.T) {
	r := start(t, nil, nil)
	eachLogic(t, "state", "Iteration.run", func(t *testing.T, c logicCase) {
		r := running{r.Engine, t}
		var in json.RawMessage = c.Input
		session, entries := r.record("iteration-"+c.ID, drawn([]string{drawnNode(t, "s", "startAgentflow", "", object{"startInputType": "chatInput"}),
			drawnNode(t, "i", "iterationAgentflow", "", in), drawnNode(t, "a", "directReplyAgentflow", "i", object{"directReplyMessage": "x"})}, "s>i"), engine.StartRequest{}, nil)
		if c.Error != "" {
			if session.Error == nil || session.Error.Message != c.Error {
				t.Errorf("error %+v, want %q", session.Error, c.Error)
			}
			return
		}
		items := []json.RawMessage{}
		for _, e := range entries {
			if e.NodeID == "a" {
				items = append(items, e.Data.IterationContext.Value)
			}
		}
		got, _ := json.Marshal(items)
		same(t, "items", got, c.Output)
	})
}

// What a human input asks, and what it shows once it is answered.
func TestHumanInputs(t *testing.T) {
	r := start(t, nil, nil)
	eachLogic(t, "state", "HumanInput.run", func(t *testing.T, c logicCase) {
		r := running{r.Engine, t}
		var in struct {
			Inputs  map[string]json.RawMessage
			Runtime struct{ State, ChatHistory json.RawMessage }
		}
		var want struct{ Output, State, ChatHistory json.RawMessage }
		decode(t, c.Input, &in)
		decode(t, c.Output, &want)
		var answer json.RawMessage
		if given := in.Inputs["humanInput"]; given != nil {
			var said flowise.HumanInput
			decode(t, given, &said)
			if said.Type == "maybe" {
				return // the engine of Flowise then marks the last condition, which is what is recorded here
			}
			answer = said.Answer()
			delete(in.Inputs, "humanInput")
		}
		var declared []object
		var state map[string]json.RawMessage
		decode(t, in.Runtime.State, &state)
		for key, value := range state {
			declared = append(declared, object{"key": key, "value": value})
		}
		if declared == nil {
			declared = []object{}
		}
		_, entries := r.record("human-"+c.ID, drawn([]string{drawnNode(t, "s", "startAgentflow", "", object{"startInputType": "chatInput", "startState": declared}),
			drawnNode(t, "h0", "humanInputAgentflow", "", in.Inputs)}, "s>h0"), engine.StartRequest{Outputs: map[string]json.RawMessage{"chat": in.Runtime.ChatHistory}}, answer)
		e := entryOf(t, entries, "h0")
		var output map[string]json.RawMessage
		decode(t, e.Data.Output, &output)
		delete(output, "humanInputAction") // of the engine
		got, _ := json.Marshal(output)
		same(t, "output", got, want.Output)
		same(t, "state", e.Data.State, want.State)
		if want.ChatHistory != nil || len(e.Data.ChatHistory) > 0 {
			got, _ := json.Marshal(e.Data.ChatHistory)
			same(t, "chat", got, want.ChatHistory)
		}
	})
}

// What a tool is called with, and what of its answer is kept.
func TestToolArguments(t *testing.T) {
	r := start(t, nil, nil)
	called := make(chan json.RawMessage, 1)
	r.Registry().Add(engine.Spec{Name: "flowise.echo", Function: function.FunctionFunc(func(_ context.Context, in json.RawMessage) (json.RawMessage, error) {
		var args map[string]json.RawMessage
		if err := json.Unmarshal(in, &args); err != nil {
			return nil, err
		}
		delete(args, "config")
		given, err := json.Marshal(args)
		if err != nil {
			return nil, err
		}
		called <- given
		text, err := json.Marshal(`{"echo":` + string(given) + `}`)
		return json.RawMessage(`{"text":` + string(text) + `}`), err
	})})
	eachLogic(t, "state", "Tool.run(echo tool)", func(t *testing.T, c logicCase) {
		r := running{r.Engine, t}
		var in map[string]json.RawMessage
		var want struct{ ToolArgs, State json.RawMessage }
		decode(t, c.Input, &in)
		decode(t, c.Output, &want)
		in["toolAgentflowSelectedTool"] = json.RawMessage(`"echo"`)
		_, entries := r.record("tool-"+c.ID, drawn([]string{drawnNode(t, "s", "startAgentflow", "", object{"startInputType": "chatInput"}), drawnNode(t, "t", "toolAgentflow", "", in)}, "s>t"),
			engine.StartRequest{}, nil)
		same(t, "arguments", <-called, want.ToolArgs)
		same(t, "state", entryOf(t, entries, "t").Data.State, want.State)
	})
}

// What a loop shows when it jumps.
func TestLoops(t *testing.T) {
	r := start(t, nil, nil)
	eachLogic(t, "state", "Loop.run", func(t *testing.T, c logicCase) {
		r := running{r.Engine, t}
		var in struct{ Inputs, State map[string]json.RawMessage }
		var want struct{ Input, Output, State json.RawMessage }
		decode(t, c.Input, &in)
		document := drawn([]string{drawnNode(t, "s", "startAgentflow", "", object{"startInputType": "chatInput"}), drawnNode(t, "loopAgentflow_0", "loopAgentflow", "", in.Inputs)}, "s>loopAgentflow_0")
		if c.Error != "" {
			if _, err := flowise.Parse("x.json", []byte(document)); err == nil {
				t.Errorf("no error, want %q", c.Error)
			}
			return
		}
		decode(t, c.Output, &want)
		_, entries := r.record("loop-"+c.ID, document, engine.StartRequest{}, nil)
		e := entryOf(t, entries, "loopAgentflow_0")
		same(t, "input", e.Data.Input, want.Input)
		same(t, "output", e.Data.Output, want.Output)
		if in.State["k"] != nil {
			same(t, "state", e.Data.State, want.State)
		}
	})
}
