package engine_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/engine/function"
)

// handovers registers functions that hand control to the engine, as thin as can be.
func (f *fakes) handovers(r *engine.Registry) {
	engine.Register(r, "rounds", rounds, func(s *engine.Spec) { s.Raw = []string{"while", "until"} })
	engine.Register(r, "side", side)
	engine.Register(r, "children", children)
	engine.Register(r, "scripted_agent", f.agent, func(s *engine.Spec) { s.Effects = true })
	engine.Register(r, "sleep", sleep)
	engine.Register(r, "keep", keep)
}

type roundsInput struct {
	Items  []json.RawMessage `json:"items"`
	Count  int               `json:"count"`
	While  json.RawMessage   `json:"while"`
	Until  json.RawMessage   `json:"until"`
	Max    int               `json:"max"`
	Finish bool              `json:"finish"`
	Going  bool              `json:"keep_going"`
}

// rounds is a container whose rounds follow one another.
func rounds(ctx context.Context, in roundsInput) (json.RawMessage, error) {
	if body := engine.CallOf(ctx).Body; body != nil {
		return finished(body)
	}
	return nil, &function.RunBody{Items: in.Items, Rounds: in.Count, While: in.While, Until: in.Until, MaxRounds: in.Max, Finish: in.Finish, KeepGoing: in.Going}
}

// finished shows what a function is told of its body.
func finished(body *function.BodyOutcome) (json.RawMessage, error) {
	texts := []string{}
	for _, one := range body.Results {
		text := one.Status + " " + string(one.Output)
		if one.Error != nil {
			text = one.Status + " " + one.Error.Message
		}
		if one.Name != "" {
			text = one.Name + ": " + text
		}
		texts = append(texts, text)
	}
	return json.Marshal(map[string]any{"told": texts, "broke": body.Broke})
}

// side is a container whose starts run side by side.
func side(ctx context.Context, in struct {
	First  bool `json:"first"`
	AtOnce int  `json:"at_once"`
}) (json.RawMessage, error) {
	if body := engine.CallOf(ctx).Body; body != nil {
		return finished(body)
	}
	return nil, &function.RunBody{AtOnce: true, First: in.First, Concurrency: in.AtOnce, Finish: true}
}

// children runs child sessions: of its own body for each item, or of the workflow given as
// child.json.
func children(ctx context.Context, in struct {
	Items    []json.RawMessage `json:"items"`
	AtOnce   int               `json:"at_once"`
	Workflow bool              `json:"workflow"`
	Outputs  []string          `json:"outputs"`
	Lenient  bool              `json:"lenient"`
}) (json.RawMessage, error) {
	call := engine.CallOf(ctx)
	if call.Body != nil {
		for i, one := range call.Body.Results {
			if one.Error != nil && !in.Lenient {
				return nil, &function.CallError{Kind: "child_failed", Message: fmt.Sprintf("item %d: %s", i, one.Error.Message)}
			}
		}
		return finished(call.Body)
	}
	q := &function.RunSessions{Concurrency: in.AtOnce, Outputs: in.Outputs}
	for i, item := range in.Items {
		inputs, _ := json.Marshal(map[string]any{"item": item, "index": i})
		c := function.ChildSession{Body: !in.Workflow, Inputs: inputs}
		if in.Workflow {
			c.Workflow = strings.TrimSuffix(call.Workflow, "W") + "child"
		}
		q.Sessions = append(q.Sessions, c)
	}
	return nil, q
}

// agent is an agent whose model is its input: the calls of each round.
func (f *fakes) agent(ctx context.Context, in struct {
	Rounds []struct {
		Say   string              `json:"say"`
		Calls []function.ToolCall `json:"calls"`
		Fail  bool                `json:"fail"` // the first attempt of the round
	} `json:"rounds"`
	AtOnce int    `json:"at_once"`
	Query  string `json:"query"`
}) (json.RawMessage, error) {
	call := engine.CallOf(ctx)
	f.record(call.Key)
	n := len(call.Transcript)
	if n < len(in.Rounds) {
		round := in.Rounds[n]
		if round.Fail && call.Attempt == 1 {
			return nil, &function.CallError{Kind: function.KindTimeout, Message: "the model is away", Transient: true}
		}
		if round.Say != "" {
			call.Say(round.Say)
		}
		entry, _ := json.Marshal(map[string]any{"round": n + 1})
		return nil, &function.CallTools{Entry: entry, Calls: round.Calls, Concurrency: in.AtOnce}
	}
	heard := []string{}
	for _, entry := range call.Transcript {
		for _, one := range entry.Results {
			text := fmt.Sprintf("%s %s: %s", one.ID, one.Tool, one.Output)
			if one.Error != nil {
				text = fmt.Sprintf("%s %s failed, %s: %s", one.ID, one.Tool, one.Error.Kind, one.Error.Message)
			}
			heard = append(heard, text)
		}
	}
	names := []string{}
	for _, tool := range call.Tools {
		names = append(names, tool.Name)
	}
	return json.Marshal(map[string]any{"heard": heard, "tools": names, "query": in.Query})
}

// sleep waits for a time or a signal.
func sleep(_ context.Context, in struct {
	For    string `json:"for"`
	Signal string `json:"signal"`
}) (json.RawMessage, error) {
	d, err := function.ParseDuration(in.For)
	if err != nil {
		return nil, err
	}
	return nil, &function.Wait{For: d, Signal: in.Signal}
}

// keep keeps a value under a name of its own.
func keep(ctx context.Context, in map[string]json.RawMessage) (json.RawMessage, error) {
	for name, value := range in {
		engine.CallOf(ctx).Set(name, value)
	}
	return json.RawMessage(`{"kept":true}`), nil
}
