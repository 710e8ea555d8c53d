package flowise

import (
	"fmt"
	"strings"

	"github.com/stepgraph/stepgraph/compat/internal/inputs"
	"github.com/stepgraph/stepgraph/engine"
)

// What iterations say of errors.
const (
	roundFailed = "Error in iteration {number}: {message}"
	noList      = "Invalid input array"
)

// itemValues are what the nodes of an iteration read of its item, by the field under which the
// step at the beginning of each round leaves it.
type itemValues struct {
	names  []string
	fields map[string]string
}

// iteration runs its children once for each item of a list.
func (c *compiler) iteration(s *engine.Step, n *node) {
	if len(n.children) == 0 {
		return // it shows nothing
	}
	in := n.Data.Inputs
	var items any
	if raw := in["iterationInput"]; len(raw) > 0 && raw[0] == '[' && n.accepts("iterationInput") {
		items = c.resolved(n, raw)
	} else if len(raw) > 0 && raw[0] == '[' {
		items = inputs.Of("@literal", raw)
	} else {
		items = c.setting(n, in, "iterationInput").value()
	}
	s.Function = "iterate.flowise"
	s.Input = inputs.Encode(inputs.Of("items", items, "items_error", noList, "error_text", roundFailed,
		"error_texts", roundFailures(n)))
}

// roundFailures are the texts of rounds in which a model failed, by node: Flowise puts the
// kind of the node in front, and shows what the vendor said without its address.
func roundFailures(n *node) inputs.Object {
	texts := inputs.Of()
	for _, child := range n.children {
		if kind := errorPrefix(child.kind()); kind != "" {
			texts = texts.With(child.ID, strings.Replace(roundFailed, "{message}", kind+"{said}", 1))
		}
	}
	return texts
}

// itemValue is a reference to something of the item, which the step at the beginning of the
// round finds. name is $iteration, or a path that begins with it.
func (v *values) itemValue(iteration *node, name, match string) string {
	item := v.items[iteration.ID]
	if item == nil {
		item = &itemValues{fields: map[string]string{}}
		v.items[iteration.ID] = item
	}
	field := item.fields[name]
	if field == "" {
		field = fmt.Sprintf("v%d", len(item.names))
		item.names, item.fields[name] = append(item.names, name), field
	}
	return inputs.Ref(v.helper(iteration.ID+"-item")+"."+field) + "|" + match
}

// itemScript finds paths in an item as Flowise does: an item that is empty, zero or false
// gives nothing, a text gives itself for every path, and a path that leads nowhere is the word
// undefined.
const itemScript = `const text = v => typeof v === 'object' && v !== null ? JSON.stringify(v) : String(v);
const at = (v, path) => path.reduce((o, k) => o === null || o === undefined ? undefined : o[k], v);
const out = {};
for (const [field, path] of Object.entries($paths)) {
  if (!$item) out[field] = null;
  else if (path.length === 0 || typeof $item === 'string') out[field] = text($item);
  else if (typeof $item === 'object') out[field] = text(at($item, path));
  else out[field] = null;
}
return out;
`

// body puts the children of an iteration into it: first the step that reads the item, where
// something is read of it, last the one that gathers what its ends show, where it has several.
func (c *compiler) body(n *node) {
	if len(n.children) == 0 {
		return
	}
	var held []string
	for _, child := range n.children {
		held = append(held, c.steps[child.ID]...)
	}
	beginnings := c.flow.starts(n)
	held = append(c.beginRound(n, beginnings), held...)
	held = append(held, c.endRound(n)...)
	for i, id := range held {
		order := float64(i)
		c.w.Paths = append(c.w.Paths, engine.Path{Kind: engine.Contains, Source: n.ID, Target: id, Priority: &order, Extra: generated(nil)})
	}
}

// beginRound makes the steps that begin a round: the runtime of each is its own.
func (c *compiler) beginRound(n *node, beginnings []*node) []string {
	fresh := engine.Step{ID: c.helper(n.ID + "-round"), Name: "Round of " + n.label(), Function: "variable", Extra: generated(n),
		Input: inputs.Encode(inputs.Of("globals", inputs.Of(c.helper(n.ID+"-"+valueChat), []any{}, c.helper(n.ID+"-"+valueLoops), 0)))}
	c.w.Steps = append(c.w.Steps, fresh)
	ids := []string{fresh.ID}
	if v := c.items[n.ID]; v != nil {
		paths := inputs.Of()
		for _, name := range v.names {
			paths = paths.With(v.fields[name], itemPath(name))
		}
		item := javaScript(c.helper(n.ID+"-item"), "Item of "+n.label(), itemScript, inputs.Of("$item", inputs.Ref(n.ID+".item")+"|", "$paths", paths))
		item.Extra = generated(n)
		c.w.Steps = append(c.w.Steps, item)
		c.link(fresh.ID, item.ID)
		ids = append(ids, item.ID)
	}
	for _, child := range beginnings {
		c.link(ids[len(ids)-1], c.entrances[child.ID])
	}
	return ids
}

// itemPath is the path after $iteration, in parts.
func itemPath(name string) []string {
	path := strings.TrimPrefix(strings.TrimPrefix(name, "$iteration"), ".")
	if path == "" {
		return []string{}
	}
	if parts := lodashPath(path); parts != nil {
		return parts
	}
	return []string{name} // leads nowhere
}
