package engine_test

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/engine/function"
)

// A piece is one construct of a random program; a program is a tree of them. Each has one
// step that it begins with and one that it ends in, so that parts can be put together.
type piece struct {
	kind  string // act, seq, choose, par, repeat, rounds, group, children, agent
	id    string
	parts []*piece // of seq; arms of choose and par; the one of repeat; chains of a body; tools

	does    []string // of act: ok, fail or ask, visit by visit, again from the start after the last
	leaves  []bool   // of act: whether the visit breaks out
	breaks  string   // of act: the container it breaks out of
	stays   bool     // of act: what follows it inside is opened too when it breaks
	onError string
	effects bool

	picks  []int  // of choose: the arm, -1 for none
	opens  []int  // of par: a bit for each arm
	times  int    // of repeat, rounds, children
	until  []bool // of rounds: what its first chain's end says, visit by visit
	finish bool   // of rounds: its function makes the output
	atOnce int    // of group, children, agent
	first  bool   // of group: parts[0] wins
	strict bool   // of children: a child that failed fails it
	calls  [][]int
	escape bool // a path leads out of the body, to <id>e
	marked bool // of repeat: its path back is marked so
}

// begins and ends are the steps a part begins with and ends in.
func (p *piece) begins() string {
	if p.kind == "seq" {
		return p.parts[0].begins()
	}
	if p.kind == "repeat" {
		return p.parts[0].begins()
	}
	return p.id
}

func (p *piece) ends() string {
	switch {
	case p.kind == "seq":
		return p.parts[len(p.parts)-1].ends()
	case p.kind == "choose", p.kind == "par", p.escape:
		return p.id + "m"
	}
	return p.id
}

// container reports whether a part runs its parts as a body.
func (p *piece) container() bool {
	return p.kind == "rounds" || p.kind == "group" || p.kind == "children"
}

// at is what a list says of the n-th visit.
func at[T any](list []T, n int) (value T) {
	if len(list) > 0 {
		value = list[(n-1)%len(list)]
	}
	return value
}

// String shows the program in a few letters a part, loops and bodies in brackets.
func (p *piece) String() string {
	list := func() string {
		var texts []string
		for _, inner := range p.parts {
			texts = append(texts, inner.String())
		}
		return "(" + strings.Join(texts, " ") + ")"
	}
	text := p.kind + ":" + p.id
	if p.kind == "seq" {
		return list()
	}
	if p.onError != "" {
		text += "/" + p.onError
	}
	if p.effects {
		text += "/effects"
	}
	switch p.kind {
	case "act":
		text += fmt.Sprint(p.does)
		if p.breaks != "" {
			text += fmt.Sprintf("{breaks %s %v stays=%t}", p.breaks, p.leaves, p.stays)
		}
		return text
	case "choose":
		text += fmt.Sprint(p.picks)
	case "par":
		text += fmt.Sprint(p.opens)
	case "repeat":
		text += fmt.Sprintf("[%d marked=%t]", p.times, p.marked)
	case "rounds":
		text += fmt.Sprintf("[%d until=%v finish=%t]", p.times, p.until, p.finish)
	case "group":
		text += fmt.Sprintf("[first=%t at once=%d]", p.first, p.atOnce)
	case "children":
		text += fmt.Sprintf("[%d strict=%t at once=%d]", p.times, p.strict, p.atOnce)
	case "scripted_agent":
		text += fmt.Sprintf("[%v at once=%d]", p.calls, p.atOnce)
	}
	return text + list()
}

// A drawing makes a workflow of a program, and says of each step what its visits do.
type drawing struct {
	w     *engine.Workflow
	steps map[string]*drawnStep
}

// A drawnStep is what the function of one step goes by.
type drawnStep struct {
	part *piece
	open func(visit int, target string) bool // nil opens all
	stop []bool
}

func draw(p *piece) *drawing {
	d := &drawing{w: &engine.Workflow{ID: "W"}, steps: map[string]*drawnStep{}}
	d.step(&piece{kind: "act", id: "root"}, "root", "", nil)
	d.draw(p, nil)
	d.path("root", p.begins())
	return d
}

// step draws one step inside a container, or outside of all.
func (d *drawing) step(p *piece, id, function string, holders []*piece) *drawnStep {
	if function == "" {
		function = "pure"
		if p.effects && p.id == id {
			function = "call"
		}
	}
	s := engine.Step{ID: id, Function: function, Input: `{"at": "` + place(holders) + `"}`}
	if p.id == id {
		s.OnError = p.onError
	}
	d.w.Steps = append(d.w.Steps, s)
	if len(holders) > 0 {
		d.w.Paths = append(d.w.Paths, engine.Path{Kind: engine.Contains, Source: holders[len(holders)-1].id, Target: id})
		priority := float64(len(d.w.Paths))
		d.w.Paths[len(d.w.Paths)-1].Priority = &priority
	}
	drawn := &drawnStep{part: p}
	d.steps[id] = drawn
	return drawn
}

// place is the reference to the round, or the item, that a step runs in.
func place(holders []*piece) string {
	for i := len(holders) - 1; i >= 0; i-- {
		if holders[i].kind != "group" {
			return "@{SESSION_ID}." + holders[i].id + ".index|none"
		}
	}
	return "none"
}

// path draws a path that is open as its step's visit says.
func (d *drawing) path(from, to string) *engine.Path {
	d.w.Paths = append(d.w.Paths, engine.Path{Kind: engine.Next, Source: from, Target: to})
	return &d.w.Paths[len(d.w.Paths)-1]
}

func (d *drawing) guarded(from, to string) *engine.Path {
	p := d.path(from, to)
	p.Operator = "OR"
	p.Condition = []any{fmt.Sprintf("@{SESSION_ID}.%s.open.%s", from, to)}
	return p
}

func (d *drawing) draw(p *piece, holders []*piece) {
	switch p.kind {
	case "seq":
		for i, inner := range p.parts {
			d.draw(inner, holders)
			if i > 0 {
				d.follow(p.parts[i-1], inner.begins())
			}
		}
	case "act":
		s := d.step(p, p.id, "", holders)
		s.open = func(visit int, target string) bool {
			return (target == p.breaks+"e") == at(p.leaves, visit) || p.stays && target != p.breaks+"e"
		}
		if p.breaks != "" {
			d.guarded(p.id, p.breaks+"e")
		}
	case "choose", "par":
		d.arms(p, holders)
	case "repeat":
		d.draw(p.parts[0], holders)
		s := d.step(p, p.id, "", holders)
		s.open = func(visit int, target string) bool { return (target == p.begins()) == (visit%p.times != 0) }
		d.follow(p.parts[0], p.id)
		d.guarded(p.id, p.begins()).Back = p.marked
	case "scripted_agent":
		d.step(p, p.id, "scripted_agent", holders)
		d.w.Steps[len(d.w.Steps)-1].Input = marshalText(map[string]any{"calls": agentCalls(p), "at_once": p.atOnce})
		for _, tool := range p.parts {
			d.draw(tool, nil)
			d.w.Paths = append(d.w.Paths, engine.Path{Kind: engine.Tool, Source: p.id, Target: tool.id})
		}
	default:
		d.body(p, holders)
	}
}

// follow draws the path on from the end of a part.
func (d *drawing) follow(p *piece, to string) {
	end := p
	for end.kind == "seq" {
		end = end.parts[len(end.parts)-1]
	}
	switch {
	case end.kind == "act":
		path := d.guarded(end.id, to)
		if end.onError == engine.OnErrorContinue {
			path.Condition = append(path.Condition.([]any), fmt.Sprintf("@{SESSION_ID}.%s.error.kind", end.id))
		}
	case end.kind == "repeat":
		d.guarded(end.id, to)
	default:
		d.path(end.ends(), to)
	}
}

func (d *drawing) arms(p *piece, holders []*piece) {
	s := d.step(p, p.id, "", holders)
	s.open = func(visit int, target string) bool {
		for i, arm := range p.parts {
			if arm.begins() == target {
				return p.kind == "choose" && at(p.picks, visit) == i || p.kind == "par" && at(p.opens, visit)&(1<<i) != 0
			}
		}
		return at(p.picks, visit) < 0
	}
	d.step(p, p.id+"m", "", holders)
	if p.kind == "par" || p.strict {
		d.w.Steps[len(d.w.Steps)-1].Join = engine.JoinAll
	}
	for _, arm := range p.parts {
		d.draw(arm, holders)
		d.guarded(p.id, arm.begins())
		d.follow(arm, p.id+"m")
	}
	if p.kind == "choose" {
		d.guarded(p.id, p.id+"m")
	}
}

// body draws a container, what it contains and the way out of it.
func (d *drawing) body(p *piece, holders []*piece) {
	d.step(p, p.id, p.kind, holders)
	in := map[string]any{"times": p.times, "finish": p.finish, "at_once": p.atOnce, "first": p.first, "strict": p.strict}
	if p.until != nil {
		in["until"] = "@{SESSION_ID}." + p.parts[0].ends() + ".stop"
	}
	d.w.Steps[len(d.w.Steps)-1].Input = marshalText(in)
	inside := append(append([]*piece(nil), holders...), p)
	for _, chain := range p.parts {
		d.draw(chain, inside)
	}
	if end := d.steps[p.parts[0].ends()]; p.until != nil && end != nil {
		end.stop = p.until
	}
	if p.escape {
		d.step(p, p.id+"e", "", holders)
		d.step(p, p.id+"m", "", holders)
		d.path(p.id, p.id+"m")
		d.path(p.id+"e", p.id+"m")
	}
}

// agentCalls are the calls of each round of an agent.
func agentCalls(p *piece) [][]function.ToolCall {
	rounds := make([][]function.ToolCall, len(p.calls))
	for i, calls := range p.calls {
		for j, tool := range calls {
			name := "nobody"
			if tool >= 0 {
				name = p.parts[tool].id
			}
			rounds[i] = append(rounds[i], function.ToolCall{ID: fmt.Sprint(j), Tool: name})
		}
	}
	return rounds
}

func marshalText(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(text)
}
