package flowise

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/stepgraph/stepgraph/compat/internal/inputs"
	"github.com/stepgraph/stepgraph/engine"
)

// Counts of a loop.
const (
	defaultLoops = 5  // where the node says nothing
	engineLoops  = 10 // where it says the text 0
)

// loopScript counts jumps: a loop of N lets what it goes back to run N times. In an iteration
// each item counts anew.
const loopScript = `jumps = int(count) if round == counted else 0
again = jumps + 1 < most
if again:
    jumps += 1
result = {
    "text": jump if again else (fallback or ended),
    "again": again,
    "count": jumps,
    "round": round,
    "max": most,
    "target": target,
    "fallback": fallback,
    loops: jumps,
}
`

// loop goes back to another node, so many times.
func (c *compiler) loop(s *engine.Step, n *node) {
	in := n.Data.Inputs
	target, label := loopTarget(in.text("loopBackToNode"))
	most := loopCount(in)
	variables := inputs.Of("count", inputs.Ref(n.ID+".count")+"|0", "counted", inputs.Ref(n.ID+".round")+"|0", "round", "0", "most", most,
		"jump", inputs.Literal(fmt.Sprintf("Loop back to %s (%s)", label, target)), "fallback", c.setting(n, in, "fallbackMessage").value(),
		"ended", fmt.Sprintf("Loop completed after reaching maximum iteration count of %d.", most), "target", inputs.Literal(target), "loops", c.local(n, valueLoops))
	if n.parent != nil {
		variables = variables.Set("round", inputs.Of("@text", []any{inputs.RefOr(n.parent.ID + ".index")}))
	}
	step := script(s.ID, s.Name, loopScript, variables, c.local(n, valueLoops))
	s.Function, s.Input = step.Function, step.Input
}

// loopTarget reads "id-label": the id goes up to the first hyphen.
func loopTarget(given string) (id, label string) {
	id, label, ok := strings.Cut(given, "-")
	if !ok {
		label = "undefined"
	}
	return id, label
}

// loopCount is how many times the way back is run at most: 5 where nothing or 0 is given, the
// engine's own where the text "0" is.
func loopCount(in settings) int {
	given := in.text("maxLoopCount")
	n, err := strconv.ParseFloat(strings.TrimSpace(given), 64)
	switch {
	case err != nil || given == "0" && in["maxLoopCount"][0] != '"':
		return defaultLoops
	case n <= 0:
		return engineLoops
	}
	return int(min(n, 1e6))
}

// back draws the path back. A loop to a node that is not there, or not beside it, goes
// nowhere.
func (c *compiler) back(n *node) {
	id, _ := loopTarget(n.Data.Inputs.text("loopBackToNode"))
	target := c.flow.byID[id]
	if target == nil {
		target = c.flow.byID[n.Data.Inputs.text("loopBackToNode")]
	}
	if target == nil || target.parent != n.parent {
		c.note(n, "loop_target", "there is no node %q to go back to: the loop ends its path", id)
		return
	}
	c.w.Paths = append(c.w.Paths, engine.Path{Kind: engine.Next, Source: c.exits[n.ID], Target: c.entrances[target.ID], Back: true, Label: "again",
		Condition: inputs.Encode(inputs.Of("true", inputs.RefOr(n.ID+".again"))), Extra: generated(nil)})
}
