package engine_test

import (
	"fmt"

	"github.com/stepgraph/stepgraph/engine"
	"pgregory.net/rapid"
)

// A bodyPlan is a program with what a person and a bad machine do to it.
type bodyPlan struct {
	program *piece
	pick    []int  // which of the open questions is answered next
	crash   []bool // whether the engine dies after an event, and another takes over
}

func bodyPlans() *rapid.Generator[bodyPlan] {
	return rapid.Custom(func(t *rapid.T) bodyPlan {
		g := &partMaker{t: t, room: rapid.IntRange(4, 24).Draw(t, "room")}
		p := bodyPlan{program: g.chain(where{alone: true})}
		p.pick = rapid.SliceOfN(rapid.IntRange(0, 5), 1, 6).Draw(t, "pick")
		if rapid.IntRange(0, 3).Draw(t, "crashes") == 0 {
			p.crash = rapid.SliceOfN(rapid.Bool(), 1, 4).Draw(t, "crash")
		}
		return p
	})
}

// A partMaker draws a program. What depends on who is faster is left out: a failure that
// ends something stands beside nothing that it could overtake.
type partMaker struct {
	t    *rapid.T
	made int
	room int // steps left
}

// where tells what may stand at a place.
type where struct {
	alone   bool     // nothing that a failure could cancel runs beside it
	must    bool     // what follows has to be reached, unless by a failure
	quiet   bool     // nobody is asked
	holders []*piece // containers to break out of, innermost last
	tool    bool     // of an agent: no path leads on from it
	depth   int      // containers around it
}

// within are the containers that the body of p may break out of.
func (w where) within(p *piece) []*piece {
	if w.tool {
		return nil
	}
	return append(append([]*piece(nil), w.holders...), p)
}

func (g *partMaker) yes(label string, of int) bool {
	return rapid.IntRange(0, of-1).Draw(g.t, label) == of-1
}

func (g *partMaker) name() string {
	g.made++
	g.room--
	return fmt.Sprintf("s%d", g.made)
}

func (g *partMaker) chain(w where) *piece {
	p := &piece{kind: "seq"}
	for i := 0; i == 0 || i < 3 && g.room > 0 && !g.yes("end", 3); i++ {
		p.parts = append(p.parts, g.part(w))
	}
	return p
}

func (g *partMaker) part(w where) *piece {
	kinds := []string{"act", "act", "act"}
	if g.room > 2 {
		kinds = append(kinds, "choose", "par", "repeat", "scripted_agent")
		if w.depth < 3 {
			kinds = append(kinds, "rounds", "rounds", "group", "children")
		}
	}
	switch kind := rapid.SampledFrom(kinds).Draw(g.t, "kind"); kind {
	case "act":
		return g.act(w)
	case "scripted_agent":
		return g.agent(w)
	case "rounds", "group", "children":
		return g.body(kind, w)
	default:
		return g.graph(kind, w)
	}
}

func (g *partMaker) act(w where) *piece {
	p := &piece{kind: "act", id: g.name(), effects: g.yes("effects", 4), onError: g.onError()}
	kinds := []string{"ok", "ok", "ok"}
	if !w.quiet {
		kinds = append(kinds, "ask")
	}
	if !w.quiet && (w.alone || p.onError == engine.OnErrorContinue) {
		kinds = append(kinds, "fail")
	}
	p.does = rapid.SliceOfN(rapid.SampledFrom(kinds), 1, 3).Draw(g.t, "does")
	if len(w.holders) > 0 && g.yes("breaks", 4) {
		out := w.holders[len(w.holders)-1]
		if len(w.holders) > 1 && g.yes("far", 3) {
			out = w.holders[len(w.holders)-2]
		}
		out.escape, p.breaks = true, out.id
		p.leaves = rapid.SliceOfN(rapid.Bool(), 1, 4).Draw(g.t, "leaves")
		p.stays = w.must || g.yes("stays", 3)
	}
	return p
}

func (g *partMaker) onError() string {
	if g.yes("continue", 3) {
		return engine.OnErrorContinue
	}
	return ""
}

// graph makes what stands in no container of its own.
func (g *partMaker) graph(kind string, w where) *piece {
	p := &piece{kind: kind, id: g.name()}
	if kind == "repeat" {
		p.times, p.marked = rapid.IntRange(1, 3).Draw(g.t, "times"), true
		p.parts = []*piece{g.chain(w)}
		return p
	}
	if kind == "par" {
		w.alone = false
	}
	p.strict = g.yes("join", 2)
	for i := 0; i < 2 || i < 3 && g.yes("arm", 3); i++ {
		p.parts = append(p.parts, g.chain(w))
	}
	least := 0
	if w.must {
		least = 1
	}
	p.picks = rapid.SliceOfN(rapid.IntRange(-1, len(p.parts)-1), 1, 3).Draw(g.t, "picks")
	p.opens = rapid.SliceOfN(rapid.IntRange(least, 1<<len(p.parts)-1), 1, 3).Draw(g.t, "opens")
	return p
}

func (g *partMaker) body(kind string, w where) *piece {
	p := &piece{kind: kind, id: g.name(), onError: g.onError(), times: rapid.IntRange(0, 3).Draw(g.t, "times")}
	inside := where{alone: w.alone, quiet: w.quiet, depth: w.depth + 1}
	p.finish, p.atOnce = g.yes("finish", 2), rapid.IntRange(0, 2).Draw(g.t, "at once")
	chains := 1
	if g.yes("chains", 3) {
		chains = 2
	}
	switch kind {
	case "rounds":
		inside.holders = w.within(p)
		inside.alone = chains == 1 && (w.alone || p.onError == engine.OnErrorContinue)
		if g.yes("until", 3) {
			p.until = rapid.SliceOfN(rapid.Bool(), 1, 3).Draw(g.t, "until")
		}
	case "group":
		if !w.alone {
			p.onError = engine.OnErrorContinue
		}
		if g.yes("first", 4) {
			return g.race(p, w)
		}
		chains = rapid.IntRange(1, 3).Draw(g.t, "chains of a group")
		inside.alone = true
		if g.yes("breakable", 2) {
			inside.holders, inside.alone = w.within(p), false
		}
	case "children":
		p.strict = (w.alone || p.onError == engine.OnErrorContinue) && g.yes("strict", 2)
		inside.alone, inside.must = chains == 1, true
	}
	for range chains {
		p.parts = append(p.parts, g.chain(inside))
	}
	return p
}

// race fills a group that its first part wins: the others fail, or wait for a person.
func (g *partMaker) race(p *piece, w where) *piece {
	p.first, p.atOnce = true, 0
	winner := &piece{kind: "seq"}
	for range rapid.IntRange(1, 3).Draw(g.t, "steps") {
		winner.parts = append(winner.parts, &piece{kind: "act", id: g.name(), does: []string{"ok"}, effects: g.yes("effects", 3)})
	}
	p.parts = append(p.parts, winner)
	for range rapid.IntRange(1, 2).Draw(g.t, "losers") {
		p.parts = append(p.parts, &piece{kind: "act", id: g.name(), does: []string{rapid.SampledFrom([]string{"ask", "fail"}).Draw(g.t, "does")}})
	}
	return p
}

func (g *partMaker) agent(w where) *piece {
	p := &piece{kind: "scripted_agent", id: g.name(), effects: true, atOnce: rapid.IntRange(0, 2).Draw(g.t, "at once")}
	inside := where{alone: true, quiet: w.quiet, tool: true, depth: w.depth + 1}
	for range rapid.IntRange(1, 2).Draw(g.t, "tools") {
		if inside.depth < 4 && g.room > 2 && g.yes("container", 3) {
			p.parts = append(p.parts, g.body(rapid.SampledFrom([]string{"rounds", "group", "children"}).Draw(g.t, "tool"), inside))
			continue
		}
		p.parts = append(p.parts, g.act(inside))
	}
	calls := rapid.SliceOfN(rapid.IntRange(-1, len(p.parts)-1), 0, 3)
	p.calls = rapid.SliceOfN(calls, 0, 2).Draw(g.t, "calls")
	return p
}
