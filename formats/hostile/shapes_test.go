package hostile

import (
	"fmt"
	"strings"
)

// A shape is a graph: n nodes, and from each the nodes its edges lead to.
type shape struct {
	name  string
	nodes int
	to    func(i int) []int
}

// wholeNodes have 19,900 edges between them: as many as drawings may have.
const wholeNodes = 200

var graphs = []shape{
	{"alone", many(100_000), func(int) []int { return nil }},
	{"chain", many(100_000), func(i int) []int { return []int{i + 1} }},
	{"circle", many(50_000), func(i int) []int { return []int{(i + 1) % many(50_000)} }},
	{"self", many(20_000), func(i int) []int { return []int{i} }},
	{"star", many(20_000), func(int) []int { return []int{0} }},
	{"fan", many(20_000), func(i int) []int { return fan(i, many(20_000)) }},
	{"whole", wholeNodes, func(i int) []int { return after(i, wholeNodes) }},
	{"ladder", many(10_000), func(i int) []int { return []int{i + 1, i + 2, i + 3} }},
	{"diamonds", many(10_000), diamond},
}

func fan(i, n int) []int {
	if i == 0 {
		return after(0, n)
	}
	return nil
}

func after(i, n int) []int {
	var out []int
	for k := i + 1; k < n; k++ {
		out = append(out, k)
	}
	return out
}

// diamond is one of a row of diamonds: the ways through them are more than can be counted.
func diamond(i int) []int {
	if i%3 == 0 {
		return []int{i + 1, i + 2}
	}
	return []int{i - i%3 + 3}
}

// A dialect writes graphs in one format.
type dialect struct {
	name, ending   string
	begin, between string
	end            string
	node           func(i, n int) string
	edge           func(i, from, to int) string
}

func editor(name string, node func(i, n int) string) dialect {
	return dialect{name: name, ending: ".json", begin: `{"nodes":[`, between: `],"edges":[`, end: "]}", node: node,
		edge: func(i, from, to int) string {
			return fmt.Sprintf(`{"id":"e%d","source":"n%d","target":"n%d"}`, i, from, to)
		}}
}

// plain is a node of an editor's file.
func plain(i int, kind, data string) string {
	return fmt.Sprintf(`{"id":"n%d","type":"%s","position":{"x":%d,"y":0},"data":{%s}}`, i, kind, i, data)
}

var dialects = []dialect{
	{"stepgraph", ".json", `{"format":"stepgraph","version":1,"steps":[`, `],"paths":[`, "]}",
		func(i, _ int) string { return fmt.Sprintf(`{"id":"n%d","function":"loop","input":{"count":1}}`, i) },
		func(i, from, to int) string { return fmt.Sprintf(`{"source":"n%d","target":"n%d"}`, from, to) }},
	{"contains", ".json", `{"format":"stepgraph","version":1,"steps":[`, `],"paths":[`, "]}",
		func(i, _ int) string { return fmt.Sprintf(`{"id":"n%d","function":"loop","input":{"count":1}}`, i) },
		func(i, from, to int) string {
			return fmt.Sprintf(`{"kind":"CONTAINS","source":"n%d","target":"n%d"}`, from, to)
		}},
	{"cypher", ".cypher", "CREATE ", ",", ";",
		func(i, _ int) string { return fmt.Sprintf(`(n%d:STEP {id: 'n%d'})`, i, i) },
		func(i, from, to int) string { return fmt.Sprintf(`(n%d)-[:NEXT]->(n%d)`, from, to) }},
	editor("agentzero", func(i, n int) string {
		switch i {
		case 0:
			return plain(i, "input", `"label":"x"`)
		case n - 1:
			return plain(i, "output", `"label":"x"`)
		}
		return plain(i, "agent", fmt.Sprintf(`"label":"x","outputVariable":"v%d"`, i))
	}),
	editor("agentzero-conditions", func(i, n int) string {
		switch i {
		case 0:
			return plain(i, "input", `"label":"x"`)
		case n - 1:
			return plain(i, "output", `"label":"x"`)
		case 1:
			return plain(i, "agent", `"outputVariable":"v"`)
		}
		return plain(i, "condition", `"expression":"len(input) > 1"`)
	}),
	editor("agentzero-parents", func(i, n int) string {
		return fmt.Sprintf(`{"id":"n%d","type":"parallelGroup","parentId":"n%d","data":{"label":"x"}}`, i, (i+1)%n)
	}),
	editor("callcentre", func(i, _ int) string {
		if i == 0 {
			return plain(i, "routerNode", `"label":"x"`)
		}
		return plain(i, "departmentNode", `"label":"x"`)
	}),
	editor("callcentre-tools", func(i, _ int) string {
		return plain(i, []string{"routerNode", "subAgentNode", "integrationNode"}[min(i, 1+i%2)], `"label":"x"`)
	}),
	editor("nebulaflow", func(i, _ int) string { return plain(i, "text-format", `"content":"${1} ${2}"`) }),
	editor("nebulaflow-branches", func(i, _ int) string { return plain(i, "if-else", `"content":"${1} === x"`) }),
	editor("nebulaflow-loops", func(i, n int) string {
		return plain(i, []string{"loop-start", "loop-end"}[min(1, 2*i/n)], `"title":"x"`)
	}),
	editor("nebulaflow-shell", func(i, _ int) string { return plain(i, "cli", fmt.Sprintf(`"content":"touch /tmp/x${%d}"`, i)) }),
	editor("flowise", func(i, _ int) string {
		if i == 0 {
			return plain(i, "agentFlow", `"id":"n0","name":"startAgentflow","label":"Start","inputs":{}`)
		}
		return plain(i, "agentFlow", fmt.Sprintf(`"id":"n%d","name":"directReplyAgentflow","label":"x","inputs":{"directReplyMessage":"{{ n%d }}"}`, i, i-1))
	}),
	editor("flowise-parents", func(i, n int) string {
		if i == 0 {
			return plain(i, "agentFlow", `"id":"n0","name":"startAgentflow","label":"Start","inputs":{}`)
		}
		return fmt.Sprintf(`{"id":"n%d","type":"iteration","parentNode":"n%d","data":{"id":"n%d","name":"iterationAgentflow","label":"x","inputs":{"iterationInput":"{{ n%d }}"}}}`, i, (i+1)%n, i, i)
	}),
	editor("flowise-branches", func(i, _ int) string {
		if i == 0 {
			return plain(i, "agentFlow", `"id":"n0","name":"startAgentflow","label":"Start","inputs":{}`)
		}
		return plain(i, "agentFlow", fmt.Sprintf(`"id":"n%d","name":"conditionAgentflow","label":"x","inputs":{"conditions":[{"type":"string","value1":"{{ n%d }}","operation":"regex","value2":"(a+)+$"}]}`, i, i-1))
	}),
}

func (d dialect) write(s shape) string {
	var b strings.Builder
	b.WriteString(d.begin)
	for i := range s.nodes {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(d.node(i, s.nodes))
	}
	b.WriteString(d.between)
	edges := 0
	for i := range s.nodes {
		for _, to := range s.to(i) {
			if to >= s.nodes {
				continue
			}
			if edges > 0 {
				b.WriteByte(',')
			}
			b.WriteString(d.edge(edges, i, to))
			edges++
		}
	}
	if d.ending == ".cypher" && edges == 0 {
		return strings.TrimSuffix(b.String(), ",") + d.end
	}
	return b.String() + d.end
}

// shapes are graphs that are hard on whatever walks them, in every format, and files in which
// one thing is there very often.
func shapes() []hostile {
	var all []hostile
	for _, d := range dialects {
		for _, s := range graphs {
			all = append(all, made("shape-"+d.name+"-"+s.name+d.ending, func() string { return d.write(s) }))
		}
		same := d
		same.node = func(i, n int) string { return d.node(min(i, 2), n) }
		all = append(all, made("shape-"+d.name+"-same-id"+d.ending, func() string {
			return same.write(shape{nodes: many(20_000), to: func(i int) []int { return []int{i % 3} }})
		}))
	}
	return append(append(all, references()...), multiplied()...)
}
