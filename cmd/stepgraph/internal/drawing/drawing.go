// Package drawing draws workflows as text, for terminals and for comparison in tests.
package drawing

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/stepgraph/stepgraph/engine"
)

// Draw draws a workflow: a tree from root, then from what root does not reach. A step
// stands once with what follows it; where a path leads to one that is drawn elsewhere,
// only its name stands, with ↑ for a step further up on the same way (a loop).
func Draw(w *engine.Workflow) string {
	w = w.Clone() // the caller keeps its order
	w.Normalize()
	d := &renderer{w: w, drawn: map[string]bool{}, above: map[string]bool{}, next: map[string][]*engine.Path{}}
	for i := range w.Paths {
		p := &w.Paths[i]
		d.next[p.Source] = append(d.next[p.Source], p)
	}
	d.title()
	for _, id := range d.beginnings() {
		if !d.drawn[id] {
			d.out.WriteString(d.step(id) + "\n")
			d.below(id, "")
		}
	}
	return d.out.String()
}

// A renderer writes one workflow as indented text.
type renderer struct {
	w     *engine.Workflow
	out   strings.Builder
	drawn map[string]bool
	above map[string]bool // on the way from the beginning to here
	next  map[string][]*engine.Path
}

func (d *renderer) title() {
	fmt.Fprintf(&d.out, "%s  (%s, %s)\n", d.w.ID, count(len(d.w.Steps), "step"), count(len(d.w.Paths), "path"))
	for _, text := range []string{d.w.Name, d.w.Description} {
		if text != "" {
			fmt.Fprintf(&d.out, "%s\n", text)
		}
	}
	if limits := limitsOf(d.w); limits != "" {
		fmt.Fprintf(&d.out, "%s\n", limits)
	}
	d.out.WriteString("\n")
}

// limitsOf says when sessions of the workflow run.
func limitsOf(w *engine.Workflow) string {
	l, err := w.LimitsInForce()
	if err != nil {
		return "limits: " + err.Error()
	}
	var all []string
	if l.MaxSessionsAtOnce > 0 {
		all = append(all, fmt.Sprintf("at most %s at once", count(l.MaxSessionsAtOnce, "session")))
	}
	if l.Rate != "" {
		all = append(all, "at most "+l.Rate+" start")
	}
	if l.ConcurrencyKey != "" {
		all = append(all, "for each "+l.ConcurrencyKey)
	}
	if l.Priority != 0 {
		all = append(all, fmt.Sprintf("priority %d", l.Priority))
	}
	if len(all) == 0 {
		return ""
	}
	return "limits: " + strings.Join(all, ", ")
}

func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// beginnings are where to draw from: root, steps without incoming path, then all.
func (d *renderer) beginnings() []string {
	incoming := map[string]bool{}
	for i := range d.w.Paths {
		if d.w.Paths[i].TargetWorkflow == "" {
			incoming[d.w.Paths[i].Target] = true
		}
	}
	list := []string{}
	if d.w.Step(engine.DefaultEntry) != nil {
		list = append(list, engine.DefaultEntry)
	}
	for _, found := range []bool{false, true} {
		for i := range d.w.Steps {
			if id := d.w.Steps[i].ID; incoming[id] == found {
				list = append(list, id)
			}
		}
	}
	return list
}

// below draws what follows a step.
func (d *renderer) below(id, indent string) {
	d.drawn[id], d.above[id] = true, true
	paths := d.next[id]
	for i, p := range paths {
		branch, deeper := "├─ ", "│  "
		if i == len(paths)-1 {
			branch, deeper = "└─ ", "   "
		}
		d.out.WriteString(indent + branch + pathText(p))
		switch {
		case p.TargetWorkflow != "" || d.w.Step(p.Target) == nil:
			d.out.WriteString(p.Target + "  (not in this workflow)\n")
		case d.above[p.Target]:
			d.out.WriteString("↑ " + p.Target + "\n")
		case d.drawn[p.Target]:
			d.out.WriteString("→ " + p.Target + "\n")
		default:
			d.out.WriteString(d.step(p.Target) + "\n")
			d.below(p.Target, indent+deeper)
		}
	}
	delete(d.above, id)
}

// step is a step on its line: id, function, what is special about it, name.
func (d *renderer) step(id string) string {
	s := d.w.Step(id)
	text := s.ID
	if s.Function != "" {
		text += "  " + s.Function
	}
	var marks []string
	for mark, on := range map[string]bool{"join all": s.Join == engine.JoinAll, "join required": s.Join == engine.JoinRequired, "approval": s.Approval, "inactive": s.Inactive, "bypass": s.Bypass} {
		if on {
			marks = append(marks, mark)
		}
	}
	slices.Sort(marks)
	if len(marks) > 0 {
		text += "  {" + strings.Join(marks, ", ") + "}"
	}
	if s.Name != "" {
		text += "  “" + s.Name + "”"
	}
	return text
}

// pathText says what kind of path it is and when it is taken.
func pathText(p *engine.Path) string {
	var parts []string
	switch p.Kind {
	case engine.Tool:
		parts = append(parts, "tool "+p.Name)
	case engine.Contains:
		parts = append(parts, "contains")
	}
	if p.Label != "" {
		parts = append(parts, p.Label)
	}
	if text := conditionText(p); text != "" {
		parts = append(parts, "if "+text)
	}
	if len(parts) == 0 {
		return ""
	}
	return "[" + strings.Join(parts, ": ") + "] "
}

// maxCondition is how much of a condition a drawing shows, in characters.
const maxCondition = 80

func conditionText(p *engine.Path) string {
	text, isText := p.Condition.(string)
	if !isText && p.Condition != nil {
		list, err := json.Marshal(p.Condition)
		if err != nil {
			return "?"
		}
		text = string(list)
	}
	text = strings.ReplaceAll(strings.Join(strings.Fields(text), " "), "@{SESSION_ID}.", "")
	if p.Operator != "" && text != "" {
		text += " (" + strings.ToUpper(p.Operator) + ")"
	}
	if r := []rune(text); len(r) > maxCondition {
		return string(r[:maxCondition-1]) + "…"
	}
	return text
}
