package nebulaflow

import (
	"github.com/stepgraph/stepgraph/compat/internal/inputs"
	"github.com/stepgraph/stepgraph/engine"
)

// loopWhile is the mode of loops that go on while a variable is not blank.
const loopWhile = "while-variable-not-empty"

// Limits of loops: rounds when nothing is said, the limit of while loops, and the range of
// overrides.
const (
	safeRounds  = 100
	minOverride = 1
	maxOverride = 100
)

const moreScript = "result = value.strip() != \"\"\n"

// loopNode puts the look at the variable in front of both ends of a while loop: the start
// begins no round without it, and the loop asks after each round.
func (c *compiler) loopNode(n *node) {
	r := c.flow.inRegion[n.ID]
	if r == nil || n != r.start && n != r.end || r.start.Data.LoopMode != loopWhile {
		return
	}
	var value any = inputs.RefOr(c.variableID(r.start.Data.CollectionVariable))
	c.before(n, engine.Step{ID: c.helper(n.ID + "-more"), Name: "More for " + r.start.title(), Function: "utils.code.code",
		Input: inputs.Encode(inputs.Of("code", moreScript, "variables", inputs.Of("value", value), "raise", true))})
}

// region makes the container of a loop.
func (c *compiler) region(r *region) {
	id := c.loopID(r)
	s := engine.Step{ID: id, Name: r.start.title(), Function: "loop", OnError: c.onError(), Extra: generatedFor(r.start), X: &r.start.Position.X, Y: &r.start.Position.Y}
	c.entrances[id] = id
	switch {
	case r.start.Data.LoopMode == loopWhile:
		rounds := r.start.Data.MaxSafeIterations
		if rounds <= 0 {
			rounds = safeRounds
		}
		s.Input = inputs.Encode(inputs.Of("count", rounds, "until", inputs.Of("false", inputs.RefOr(c.helper(r.end.ID+"-more")+".result"))))
	case len(c.overrides(r)) > 0:
		s.Input = inputs.Encode(inputs.Of("count", inputs.Ref(c.override(r)+".result")))
	default:
		s.Input = inputs.Encode(inputs.Of("count", rounds(r)))
	}
	c.add(s)
}

// closing leads from the start of a loop to its end where a decision could leave the end out,
// or what lies between them takes no part: each round ends there, and a while loop looks at its variable then.
func (c *compiler) closing(r *region) {
	if !c.gates.open(r.end) {
		return
	}
	var condition any
	if r.start.Data.LoopMode == loopWhile {
		condition = c.roundBegins(r.start)
	}
	c.link(r.start.ID, c.entrances[r.end.ID], nil, condition)
}

// roundBegins holds where the start of a while loop begins a round.
func (c *compiler) roundBegins(start *node) any {
	return inputs.Of("true", inputs.RefOr(c.helper(start.ID+"-more")+".result"))
}

func rounds(r *region) int { return max(int(r.start.Data.Iterations), 1) }

func (c *compiler) overrides(r *region) []*edge {
	var all []*edge
	for _, e := range c.flow.into(r.start.ID) {
		if e.TargetHandle == handleOverride {
			all = append(all, e)
		}
	}
	return all
}

// overrideScript takes the first value that is a whole number.
const overrideScript = `found = [int(v.strip()) for v in values if v.strip() and not v.strip().strip("0123456789")]
result = min(max(found[0], least), most) if found else otherwise
`

// override makes the step that reads the number of rounds from the edges.
func (c *compiler) override(r *region) string {
	var values []any
	for _, e := range c.overrides(r) {
		values = append(values, c.whole(r.start, c.valueOf(e, r.start)))
	}
	id := c.helper(r.start.ID + "-count")
	c.inFront(c.loopID(r), r.start, engine.Step{ID: id, Name: "Rounds of " + r.start.title(), Function: "utils.code.code",
		Input: inputs.Encode(inputs.Of("code", overrideScript, "raise", true,
			"variables", inputs.Of("values", values, "least", minOverride, "most", maxOverride, "otherwise", rounds(r))))})
	return id
}

// contains draws the paths from a loop to its body: nodes and what stands before them, and the
// loops inside.
func (c *compiler) contains(r *region) {
	add := func(step string, order float64) {
		c.addPath(engine.Path{Kind: engine.Contains, Source: c.loopID(r), Target: step, Priority: &order, Extra: generated()})
	}
	for _, n := range c.flow.Nodes {
		if c.flow.inRegion[n.ID] != r {
			continue
		}
		for _, step := range c.chain(n.ID) {
			add(step, c.ready[n.ID])
		}
	}
	for _, inner := range c.flow.regions {
		if inner.outer == r {
			for _, step := range c.chain(c.loopID(inner)) {
				add(step, c.ready[inner.start.ID])
			}
		}
	}
}

// chain are a step and the helpers in front of it, in the order in which they run.
func (c *compiler) chain(id string) []string {
	chain := []string{c.entrances[id]}
	for at := c.entrances[id]; at != id; {
		at = c.follows[at]
		chain = append(chain, at)
	}
	return chain
}
