package engine_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/engine/function"
)

// registry are the functions of a drawing.
func (d *drawing) registry() *engine.Registry {
	r := engine.NewRegistry()
	effects := func(s *engine.Spec) { s.Effects = true }
	engine.Register(r, "pure", d.act)
	engine.Register(r, "call", d.act, effects)
	engine.Register(r, "rounds", runRounds, func(s *engine.Spec) { s.Raw = []string{"until"} })
	engine.Register(r, "group", runGroup)
	engine.Register(r, "children", runChildren)
	engine.Register(r, "scripted_agent", runAgent, effects)
	return r
}

// act does what the drawing says of this visit of the step.
func (d *drawing) act(ctx context.Context, in struct {
	At any `json:"at"`
}) (map[string]any, error) {
	call := engine.CallOf(ctx)
	step := d.steps[call.Step]
	open := map[string]bool{}
	for _, p := range d.w.Paths {
		if p.Source == call.Step && p.Kind == engine.Next {
			open[p.Target] = step.open == nil || step.open(call.Visit, p.Target)
		}
	}
	out := map[string]any{"text": fmt.Sprintf("%s#%d@%v", call.Step, call.Visit, in.At), "open": open, "stop": at(step.stop, call.Visit)}
	if step.part.kind != "act" || step.part.id != call.Step {
		return out, nil
	}
	switch at(step.part.does, call.Visit) {
	case "fail":
		return nil, errors.New("as planned")
	case "ask":
		entry, err := json.Marshal(out)
		if err != nil {
			return nil, err
		}
		return nil, &engine.AwaitInput{Prompt: "?", Entry: entry}
	}
	return out, nil
}

type bodyInput struct {
	Times  int             `json:"times"`
	Until  json.RawMessage `json:"until"`
	Finish bool            `json:"finish"`
	AtOnce int             `json:"at_once"`
	First  bool            `json:"first"`
	Strict bool            `json:"strict"`
}

func runRounds(ctx context.Context, in bodyInput) (json.RawMessage, error) {
	if body := engine.CallOf(ctx).Body; body != nil {
		return results(body)
	}
	items := make([]json.RawMessage, in.Times)
	for i := range items {
		items[i] = json.RawMessage(`"item"`)
	}
	return nil, &function.RunBody{Items: items, Until: in.Until, Finish: in.Finish}
}

func runGroup(ctx context.Context, in bodyInput) (json.RawMessage, error) {
	if body := engine.CallOf(ctx).Body; body != nil {
		return results(body)
	}
	return nil, &function.RunBody{AtOnce: true, First: in.First, Concurrency: in.AtOnce, Finish: true}
}

func runChildren(ctx context.Context, in bodyInput) (json.RawMessage, error) {
	if body := engine.CallOf(ctx).Body; body != nil {
		for _, one := range body.Results {
			if one.Error != nil && in.Strict {
				return nil, &function.CallError{Kind: one.Error.Kind, Message: one.Error.Message}
			}
		}
		return results(body)
	}
	q := &function.RunSessions{Concurrency: in.AtOnce}
	for i := range in.Times {
		inputs := json.RawMessage(fmt.Sprintf(`{"item":"item","index":%d}`, i))
		q.Sessions = append(q.Sessions, function.ChildSession{Body: true, Inputs: inputs})
	}
	return nil, q
}

// results are the outputs of what a body came to, and its failures.
func results(body *function.BodyOutcome) (json.RawMessage, error) {
	list := []any{}
	for _, one := range body.Results {
		if one.Error != nil {
			list = append(list, map[string]any{"error": true})
			continue
		}
		list = append(list, one.Output)
	}
	return json.Marshal(map[string]any{"results": list})
}

func runAgent(ctx context.Context, in struct {
	Calls  [][]function.ToolCall `json:"calls"`
	AtOnce int                   `json:"at_once"`
}) (json.RawMessage, error) {
	call := engine.CallOf(ctx)
	if n := len(call.Transcript); n < len(in.Calls) {
		return nil, &function.CallTools{Entry: json.RawMessage(`{}`), Calls: in.Calls[n], Concurrency: in.AtOnce}
	}
	heard := []any{}
	for _, round := range call.Transcript {
		for _, one := range round.Results {
			if one.Error != nil {
				heard = append(heard, map[string]any{"error": true})
				continue
			}
			heard = append(heard, one.Output)
		}
	}
	return json.Marshal(map[string]any{"results": heard})
}
