package inspect

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"time"

	"github.com/stepgraph/stepgraph/engine/graph"
	"github.com/stepgraph/stepgraph/engine/store"
	"github.com/stepgraph/stepgraph/internal/jsontext"
)

// A LogEntry is one text a step has had, as the history knows it.
type LogEntry struct {
	Step      string          `json:"step"`
	Hash      string          `json:"hash"`
	FirstSeen time.Time       `json:"first_seen"`
	Current   bool            `json:"current"` // the step is like this now
	Text      json.RawMessage `json:"text"`
	// Changes is what differs from the text before; empty for the first one of a step.
	Changes []PropertyDiff `json:"changes,omitempty"`
}

// WorkflowLog returns what the steps of a workflow (step "" for all) have been, oldest
// first. Texts are known from the moment an engine first read them.
func (i *Inspector) WorkflowLog(ctx context.Context, workflow, step string) ([]LogEntry, error) {
	texts, err := i.o.Store.StepDefinitions(ctx, workflow, step)
	if err != nil {
		return nil, err
	}
	def, err := i.o.Definitions.Read(ctx, workflow, step)
	if err != nil {
		return nil, err
	}
	if len(texts) == 0 && def.Absent {
		return nil, store.WorkflowNotFound(ctx, i.o.Store, workflow)
	}
	out := make([]LogEntry, 0, len(texts))
	before := map[string]*StepText{} // by step
	for _, t := range texts {
		c := def.Step(t.Step)
		entry := LogEntry{Step: t.Step, Hash: t.Hash, FirstSeen: t.FirstSeen,
			Current: c != nil && c.Hash == t.Hash, Text: json.RawMessage(t.Text)}
		var now StepText
		if json.Unmarshal([]byte(t.Text), &now) == nil {
			if last := before[t.Step]; last != nil {
				entry.Changes = diffDefinitions(last, &now)
			}
			before[t.Step] = &now
		}
		out = append(out, entry)
	}
	return out, nil
}

// A PropertyDiff is one property, or path, that differs between two texts of a step.
type PropertyDiff struct {
	Name string          `json:"name"` // a property, or "path ID"
	From json.RawMessage `json:"from,omitempty"`
	To   json.RawMessage `json:"to,omitempty"`
}

// A StepText is what a DEFINITION holds: a step and its outgoing paths as they were.
type StepText struct {
	Workflow string                     `json:"workflow"`
	Step     map[string]json.RawMessage `json:"step"`
	Paths    []StepPath                 `json:"paths"`
}

// A StepPath is an outgoing path of a StepText.
type StepPath struct {
	ID         string         `json:"id"`
	Kind       graph.PathKind `json:"kind"`
	Target     string         `json:"target"`
	Properties map[string]any `json:"properties"`
}

// A DiffQuery names two texts of a step by their hashes, or beginnings of them.
type DiffQuery struct {
	Workflow string
	Step     string
	From, To string // "" means the step as it is now
}

// DefinitionDiff compares two texts of a step.
func (i *Inspector) DefinitionDiff(ctx context.Context, q DiffQuery) ([]PropertyDiff, error) {
	a, err := TextOf(ctx, i, q.Workflow, q.Step, q.From)
	if err != nil {
		return nil, err
	}
	b, err := TextOf(ctx, i, q.Workflow, q.Step, q.To)
	if err != nil {
		return nil, err
	}
	return diffDefinitions(a, b), nil
}

// TextOf reads the text of a hash (or a beginning of one), or the current one.
func TextOf(ctx context.Context, i *Inspector, workflow, step, hash string) (*StepText, error) {
	text := ""
	if hash == "" {
		def, err := i.o.Definitions.Read(ctx, workflow, step)
		if err != nil {
			return nil, err
		}
		if def.Step(step) == nil {
			return nil, store.StepNotFound(def.Workflow, step)
		}
		text = def.Step(step).Text
	} else {
		found, err := i.o.Store.StepDefinitions(ctx, workflow, step)
		if err != nil {
			return nil, err
		}
		for _, d := range found {
			if len(hash) >= 6 && len(hash) <= len(d.Hash) && d.Hash[:len(hash)] == hash {
				text = d.Text
			}
		}
		if text == "" {
			return nil, store.Detailf(store.ErrStepNotFound, "step %q of workflow %q has had no text with hash %q", step, workflow, hash)
		}
	}
	var d StepText
	if err := json.Unmarshal([]byte(text), &d); err != nil {
		return nil, fmt.Errorf("definition %s: %w", hash, err)
	}
	return &d, nil
}

func diffDefinitions(a, b *StepText) []PropertyDiff {
	flat := func(d *StepText) map[string]json.RawMessage {
		m := maps.Clone(d.Step)
		if m == nil {
			m = map[string]json.RawMessage{}
		}
		for _, p := range d.Paths {
			m["path "+p.ID], _ = jsontext.Marshal(map[string]any{"kind": p.Kind, "target": p.Target, "properties": p.Properties})
		}
		return m
	}
	return diffTexts(flat(a), flat(b))
}

// DiffProperties lists the properties that differ between two versions of a step or a path.
func DiffProperties(from, to map[string]any) ([]PropertyDiff, error) {
	a, err := propertyTexts(from)
	if err != nil {
		return nil, err
	}
	b, err := propertyTexts(to)
	if err != nil {
		return nil, err
	}
	return diffTexts(a, b), nil
}

func propertyTexts(properties map[string]any) (map[string]json.RawMessage, error) {
	texts := make(map[string]json.RawMessage, len(properties))
	for name, value := range properties {
		text, err := jsontext.Marshal(value)
		if err != nil {
			return nil, fmt.Errorf("property %q: %w", name, err)
		}
		texts[name] = text
	}
	return texts, nil
}

func diffTexts(from, to map[string]json.RawMessage) []PropertyDiff {
	names := maps.Clone(from)
	maps.Copy(names, to)
	out := []PropertyDiff{}
	for _, name := range sortedKeys(names) {
		if !jsontext.Equal(orNull(from[name]), orNull(to[name])) {
			out = append(out, PropertyDiff{Name: name, From: from[name], To: to[name]})
		}
	}
	return out
}

func orNull(v json.RawMessage) json.RawMessage {
	if len(v) == 0 {
		return json.RawMessage("null")
	}
	return v
}
