package diagram

import (
	"fmt"

	"github.com/stepgraph/stepgraph/engine"
)

// A plan is what a drawing shows, in the order in which it is written.
type plan struct {
	title  string
	entry  *box // where a session begins; nil where nothing says so
	boxes  []*box
	frames []*frame // of the outermost containers
	lines  []line
}

// A box is a step, or something outside of the workflow that a path leads to.
type box struct {
	key      string // its name in the text, made by us
	kind     kind
	label    []string // lines
	id       string
	inactive bool
	bypass   bool
	frame    *frame // the frame that contains it; nil for none
}

// A frame stands around a container and what it contains.
type frame struct {
	key   string
	label string
	boxes []*box // the container first
	inner []*frame
	outer *frame
	above *frame // one around it, the outermost known, so that asking again takes few steps; nil: itself
	of    *box
}

// A line is a path.
type line struct {
	from, to *box
	kind     engine.PathKind
	back     bool
	label    []string
}

// planOf arranges a workflow.
func planOf(w *engine.Workflow) *plan {
	w = w.Clone() // the caller keeps its order
	w.Normalize()
	a := arranger{w: w, plan: &plan{title: title(w)}, steps: map[string]*box{}, outside: map[string]*box{}}
	for i := range w.Steps {
		a.step(&w.Steps[i])
	}
	a.frames()
	for i := range w.Paths {
		a.path(&w.Paths[i])
	}
	a.plan.entry = a.steps[engine.DefaultEntry]
	return a.plan
}

type arranger struct {
	w       *engine.Workflow
	plan    *plan
	steps   map[string]*box
	outside map[string]*box // by workflow and step
	count   int
}

func (a *arranger) step(s *engine.Step) {
	a.count++
	b := &box{key: fmt.Sprintf("s%d", a.count), kind: kindOf(s.Function), label: stepLabel(s), id: s.ID, inactive: s.Inactive, bypass: s.Bypass}
	a.plan.boxes = append(a.plan.boxes, b)
	if a.steps[s.ID] == nil { // of two steps of one id only the first has paths
		a.steps[s.ID] = b
	}
}

// frames puts containers and what they contain together. A step is in one frame, that
// of the first container in path order that does not stand in the step itself; any further
// CONTAINS path is drawn as a line.
func (a *arranger) frames() {
	of := map[*box]*frame{}
	a.contents(func(holder, _ *box) {
		if of[holder] == nil {
			of[holder] = &frame{key: "c" + holder.key[1:], label: holder.label[0], boxes: []*box{holder}, of: holder}
			holder.frame = of[holder]
		}
	})
	a.contents(func(holder, inside *box) { put(inside, of[holder], of[inside]) })
	for _, b := range a.plan.boxes {
		f := of[b]
		switch {
		case f == nil:
		case f.outer != nil:
			f.outer.inner = append(f.outer.inner, f)
		default:
			a.plan.frames = append(a.plan.frames, f)
		}
	}
}

// contents goes over the CONTAINS paths between steps of the workflow.
func (a *arranger) contents(visit func(holder, inside *box)) {
	for i := range a.w.Paths {
		p := &a.w.Paths[i]
		holder, inside := a.steps[p.Source], a.steps[p.Target]
		if p.Kind == engine.Contains && p.TargetWorkflow == "" && holder != nil && inside != nil {
			visit(holder, inside)
		}
	}
}

// put moves a box, with the frame around what it contains itself, into a frame.
func put(b *box, into, own *frame) {
	if own != nil {
		if own.outer == nil && into.outermost() != own {
			own.outer, own.above = into, into
		}
		return
	}
	if b.frame == nil {
		b.frame = into
		into.boxes = append(into.boxes, b)
	}
}

// outermost is the frame around all the others in which a frame stands. Those on the way
// remember it: containers may stand in one another as deep as a file is long.
func (f *frame) outermost() *frame {
	top := f
	for top.above != nil {
		top = top.above
	}
	for f != top {
		f, f.above = f.above, top
	}
	return top
}

// path adds a line, but for what the frames show already.
func (a *arranger) path(p *engine.Path) {
	from, to := a.end("", p.Source), a.end(p.TargetWorkflow, p.Target)
	if p.Kind == engine.Contains && to != from && a.framed(from, to) {
		return
	}
	a.plan.lines = append(a.plan.lines, line{from: from, to: to, kind: p.Kind, back: p.Back, label: pathLabel(p)})
}

// framed reports whether a box, or its own frame, is in the frame of a container.
func (a *arranger) framed(holder, inside *box) bool {
	f := inside.frame
	if f != nil && f.of == inside {
		f = f.outer
	}
	return f != nil && f.of == holder
}

// end is the box of a step, or of a name that is not a step here.
func (a *arranger) end(workflow, step string) *box {
	if b := a.steps[step]; b != nil && workflow == "" {
		return b
	}
	key := workflow + "\x00" + step
	if b := a.outside[key]; b != nil {
		return b
	}
	about := "(no such step)"
	if workflow != "" {
		about = "(workflow " + shown(workflow, maxName) + ")"
	}
	b := &box{key: fmt.Sprintf("x%d", len(a.outside)+1), kind: kindOutside, label: []string{shown(step, maxName), about}, id: step}
	a.outside[key] = b
	a.plan.boxes = append(a.plan.boxes, b)
	return b
}
