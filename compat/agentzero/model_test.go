package agentzero_test

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stepgraph/stepgraph/engine"
)

// rounds is how many flows are drawn.
const rounds = 150

// A drawn flow is one made at random, with what the rules of execution make of it.
type drawn struct {
	*rand.Rand
	nodes []*drawnNode // in topological order; children follow their group
	edges []drawnEdge  // in the order of the file

	text  map[string]string // results of the nodes that ran
	asked map[string]string // prompts of agents
	taken map[string]string // handles of conditions
	state map[string]string
}

type drawnNode struct {
	id, kind, parent, merge, expression string
}

type drawnEdge struct{ from, to, handle string }

// draw makes a flow: every node but the input gets edges from nodes before it.
func draw(r *rand.Rand) *drawn {
	d := &drawn{Rand: r, nodes: []*drawnNode{{id: "in", kind: "input"}}}
	free := map[string][]string{"in": {"", "", "", ""}} // handles that may still leave a node
	for i := range 2 + r.IntN(7) {
		n := &drawnNode{id: fmt.Sprintf("n%d", i), kind: []string{"agent", "agent", "condition", "condition", "parallelGroup"}[r.IntN(5)]}
		d.connect(free, n.id)
		d.nodes = append(d.nodes, n)
		free[n.id] = []string{"", "", ""}
		switch n.kind {
		case "condition":
			free[n.id] = []string{"true", "false"}
			n.expression = d.expression(n.id)
		case "parallelGroup":
			n.merge = []string{"concatenate", "summarize"}[r.IntN(2)]
			for k := range 1 + r.IntN(3) {
				d.nodes = append(d.nodes, &drawnNode{id: fmt.Sprintf("%sk%d", n.id, k), kind: "agent", parent: n.id})
			}
		}
	}
	d.connect(free, "out")
	d.nodes = append(d.nodes, &drawnNode{id: "out", kind: "output"})
	r.Shuffle(len(d.edges), func(i, j int) { d.edges[i], d.edges[j] = d.edges[j], d.edges[i] })
	return d
}

// connect draws one to three edges to a node, each by a handle that is still free.
func (d *drawn) connect(free map[string][]string, to string) {
	for range 1 + d.IntN(3) {
		from := d.nodes[d.IntN(len(d.nodes))]
		handles := free[from.id]
		if from.parent != "" || len(handles) == 0 {
			continue
		}
		at := d.IntN(len(handles))
		d.edges = append(d.edges, drawnEdge{from.id, to, handles[at]})
		free[from.id] = slices.Delete(slices.Clone(handles), at, at+1)
	}
}

// expression asks for the length of the input, for what the input holds, or whether an agent
// has run.
func (d *drawn) expression(of string) string {
	n := d.nodes[d.IntN(len(d.nodes))]
	list := []string{"len(input) % 2 == 0", "len(input) % 3 > 0", "'" + n.id + ":' in input"}
	if agents := d.agentsBefore(of); len(agents) > 0 {
		list = append(list, "bool(v_"+agents[d.IntN(len(agents))]+")")
	}
	return list[d.IntN(len(list))]
}

// agentsBefore are the agents that have settled when a node runs.
func (d *drawn) agentsBefore(id string) (out []string) {
	before := map[string]bool{id: true}
	for i := len(d.nodes) - 1; i >= 0; i-- {
		n := d.nodes[i]
		for _, e := range d.edges {
			if e.from == n.id && before[e.to] {
				before[n.id] = true
			}
		}
	}
	for _, n := range d.nodes {
		if n.kind == "agent" && (before[n.id] || before[n.parent]) {
			out = append(out, n.id)
		}
	}
	return out
}

// file writes the flow, its nodes in any order, children in theirs; public in the public
// implementation's form.
func (d *drawn) file(public bool) []byte {
	var nodes, edges []string
	for _, n := range d.nodes {
		kind := n.kind
		switch {
		case public:
			kind += "Node"
		case n.parent != "":
			kind += "@" + n.parent
		}
		if public && n.parent != "" {
			edges = append(edges, n.parent+">"+n.id)
		}
		nodes = append(nodes, fmt.Sprintf(`%s:%s:{"label": "L %s", "systemPromptOverride": "#%s", "mergeStrategy": %q, "expression": %q, "outputVariable": "v_%s", "branches": %s}`,
			n.id, kind, n.id, n.id, orText(n.merge, "concatenate"), n.expression, n.id, d.branches(n, public)))
	}
	d.Shuffle(len(nodes), func(i, j int) {
		if public || !strings.Contains(nodes[i], "@") && !strings.Contains(nodes[j], "@") {
			nodes[i], nodes[j] = nodes[j], nodes[i]
		}
	})
	for _, e := range d.edges {
		edges = append(edges, e.from+">"+e.to+":"+e.handle)
	}
	return flowOf(nodes, edges)
}

// branches are the children of a group in the public form.
func (d *drawn) branches(n *drawnNode, public bool) string {
	if !public || n.kind != "parallelGroup" {
		return "[]"
	}
	return `["` + strings.Join(d.children(n.id), `", "`) + `"]`
}

func orText(a, b string) string {
	if a == "" {
		return b
	}
	return a
}

// reply is what an agent says to a prompt: who it is and what it was told, in short. Some
// children of groups fail, some agents say nothing.
func reply(prompt string) (string, bool) {
	id, _, _ := strings.Cut(strings.TrimPrefix(prompt, "#"), "\n")
	if strings.HasPrefix(prompt, "Synthesize") {
		_, texts, _ := strings.Cut(prompt, "\n\n")
		return summaryOf(texts), true
	}
	sum := sumOf(prompt)
	switch {
	case strings.Contains(id, "k") && sum%5 == 0:
		return "", false
	case sum%7 == 1:
		return "", true
	}
	return fmt.Sprintf("%s:%x%s", id, sum, strings.Repeat("x", int(sum%3))), true
}

func sumOf(text string) uint32 {
	h := fnv.New32a()
	_, _ = h.Write([]byte(text)) // never fails
	return h.Sum32()
}

func summaryOf(texts string) string { return fmt.Sprintf("summary:%x", sumOf(texts)) }

// foretell applies the rules of execution: a node runs when all its sources have settled and
// one edge is live, with the texts of its live sources in the order of the file.
func (d *drawn) foretell(prompt string) {
	d.text, d.asked, d.taken, d.state = map[string]string{"in": prompt}, map[string]string{}, map[string]string{}, map[string]string{"in": "complete"}
	for _, n := range d.nodes[1:] {
		if n.parent != "" {
			continue
		}
		input, live := d.gather(n.id)
		if !live {
			d.state[n.id] = "skipped"
			for _, child := range d.children(n.id) {
				d.state[child] = "skipped"
			}
			continue
		}
		d.state[n.id] = "complete"
		switch n.kind {
		case "agent":
			d.ask(n.id, input)
		case "condition":
			d.text[n.id], d.taken[n.id] = input, fmt.Sprint(d.holds(n.expression, input))
		case "output":
			d.text[n.id] = strings.TrimSpace(input)
		case "parallelGroup":
			d.group(n, input)
		}
	}
}

func (d *drawn) children(group string) (out []string) {
	for _, n := range d.nodes {
		if n.parent == group {
			out = append(out, n.id)
		}
	}
	return out
}

func (d *drawn) gather(id string) (input string, live bool) {
	var texts []string
	for _, e := range d.edges {
		if e.to != id || d.state[e.from] != "complete" || e.handle != "" && d.taken[e.from] != e.handle {
			continue
		}
		live = true
		if d.text[e.from] != "" {
			texts = append(texts, d.text[e.from])
		}
	}
	return strings.Join(texts, "\n\n"), live
}

func (d *drawn) ask(id, input string) (text string, ok bool) {
	if input == "" { // a model is never asked nothing
		d.state[id] = "complete"
		return "", true
	}
	d.asked[id] = "#" + id + "\n\n" + input
	text, ok = reply(d.asked[id])
	d.state[id], d.text[id] = "complete", text
	if !ok {
		d.state[id] = "failed"
	}
	return text, ok
}

func (d *drawn) group(n *drawnNode, input string) {
	var texts, parts []string
	one := false
	for _, child := range d.children(n.id) {
		text, ok := d.ask(child, input)
		one = one || ok
		if ok && text != "" {
			texts, parts = append(texts, text), append(parts, "## L "+child+"\n\n"+text)
		}
	}
	switch merged := strings.Join(parts, "\n\n---\n\n"); {
	case !one:
		d.state[n.id] = "failed"
	case len(texts) < 2:
		d.text[n.id] = strings.Join(texts, "")
	case n.merge == "summarize":
		d.text[n.id] = summaryOf(merged)
	default:
		d.text[n.id] = merged
	}
}

func (d *drawn) holds(expression, input string) bool {
	length := len([]rune(input))
	switch {
	case strings.HasPrefix(expression, "bool("):
		return d.text[strings.TrimSuffix(strings.TrimPrefix(expression, "bool(v_"), ")")] != ""
	case strings.HasSuffix(expression, "== 0"):
		return length%2 == 0
	case strings.HasSuffix(expression, "> 0"):
		return length%3 > 0
	}
	return strings.Contains(input, strings.Split(expression, "'")[1])
}

// Flows drawn at random run as the rules of execution foretell: which nodes run, what each
// gets and gives, which group fails.
func TestDrawnFlows(t *testing.T) {
	for seed := range uint64(rounds) {
		d := draw(rand.New(rand.NewPCG(seed, 7)))
		text := d.file(seed%2 == 1)
		d.foretell("p")
		synctest.Test(t, func(t *testing.T) {
			p := play(t, text, recordedRun{Prompt: "p", reply: reply})
			if d.differs(t, p) {
				t.Errorf("seed %d: %s", seed, text)
			}
		})
		if t.Failed() {
			return
		}
	}
}

func (d *drawn) differs(t *testing.T, p *played) bool {
	var failed []string
	for id, state := range d.state {
		if state == "failed" && !strings.Contains(id, "k") {
			failed = append(failed, id)
		}
	}
	if len(failed) > 0 { // how far the other branches have come is open
		if p.Session.Error == nil || p.Session.Status != engine.StatusError || !slices.Contains(failed, p.Session.Error.Step) {
			t.Errorf("%s %+v, want an error of one of %v", p.Session.Status, p.Session.Error, failed)
		}
		return t.Failed()
	}
	if p.Session.Status != engine.StatusComplete {
		t.Errorf("%s %+v", p.Session.Status, p.Session.Error)
	}
	for _, n := range d.nodes {
		if got := nodeState(p, n.id); got != d.state[n.id] {
			t.Errorf("%s is %s, want %s", n.id, got, d.state[n.id])
		}
		if got := p.text(n.id); got != d.text[n.id] {
			t.Errorf("%s gives %q, want %q", n.id, got, d.text[n.id])
		}
		if got := strings.Join(p.prompts[n.id], "|"); n.kind == "agent" && got != d.asked[n.id] {
			t.Errorf("%s was asked %q, want %q", n.id, got, d.asked[n.id])
		}
	}
	return t.Failed()
}
