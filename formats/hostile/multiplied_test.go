package hostile

import (
	"fmt"
	"strings"
)

// drawingNodes is how many nodes a drawing of another system may have.
const drawingNodes = 5000

// chain leads from each node to the next.
func chain(i int) []int { return []int{i + 1} }

// odd are names of which nothing is left where only letters may stand.
func odd(i int) string {
	return strings.NewReplacer("0", "!", "1", "?").Replace(fmt.Sprintf("%013b", i))
}

// multiplied are drawings as large as they may be in which each node has all of what stands
// before it, or is compared with all others.
func multiplied() []hostile {
	drawn := func(name string, nodes int, to func(i int) []int, node func(i, n int) string) hostile {
		return made("shape-"+name+".json", func() string { return editor("", node).write(shape{nodes: nodes, to: to}) })
	}
	return []hostile{
		drawn("agentzero-variables", drawingNodes, chain, func(i, n int) string {
			switch {
			case i == 0:
				return plain(i, "input", `"label":"x"`)
			case i == n-1:
				return plain(i, "output", `"label":"x"`)
			case i%2 == 0:
				return plain(i, "condition", `"expression":"'x' in input"`)
			}
			return plain(i, "agent", fmt.Sprintf(`"outputVariable":"v%d"`, i))
		}),
		drawn("agentzero-one-variable", drawingNodes/2, chain, func(i, n int) string {
			switch {
			case i == 0:
				return plain(i, "input", `"label":"x"`)
			case i == n-1:
				return plain(i, "output", `"label":"x"`)
			case i%2 == 0:
				return plain(i, "condition", `"expression":"v == input"`)
			}
			return plain(i, "agent", `"outputVariable":"v"`)
		}),
		drawn("callcentre-told", drawingNodes, func(i int) []int { return []int{i + 1, drawingNodes - 1} }, func(i, n int) string {
			switch i {
			case 0:
				return plain(i, "routerNode", `"label":"x"`)
			case n - 1:
				return plain(i, "subAgentNode", `"description":"`+strings.Repeat("x ", 200_000)+`"`)
			}
			return plain(i, "departmentNode", `"label":"x"`)
		}),
		made("shape-callcentre-names.json", func() string {
			var b strings.Builder
			b.WriteString(`{"nodes":[{"id":"r","type":"routerNode","data":{}}`)
			for i := range drawingNodes - 1 {
				fmt.Fprintf(&b, `,{"id":"%s","type":"subAgentNode","data":{"functionName":"f"}}`, odd(i))
			}
			b.WriteString(`],"edges":[{}`)
			for i := range drawingNodes - 1 {
				fmt.Fprintf(&b, `,{"id":"e%d","source":"r","target":"%s"}`, i, odd(i))
			}
			return strings.Replace(b.String()+"]}", "[{},", "[", 1)
		}),
		drawn("nebulaflow-names", drawingNodes, chain, func(i, _ int) string {
			return plain(i, "variable", fmt.Sprintf(`"variableName":"%s","content":"${%s}"`, odd(i), odd(i+1)))
		}),
		drawn("nebulaflow-ports", 10, chain, func(i, _ int) string {
			return plain(i, "subflow", `"subflowId":"s","inputPortCount":2147483647,"outputPortCount":2147483647`)
		}),
		drawn("nebulaflow-tangle", 1000, func(i int) []int { return []int{i + 1, i + 2, i + 3} }, func(i, n int) string {
			return plain(i, []string{"loop-start", "loop-end", "preview"}[min(2*i/n, 1)+i%2*(1-i*2/n)*2], `"title":"x"`)
		}),
		drawn("nebulaflow-stale", 2000, func(i int) []int { return []int{i + 1, i + 2} }, func(i, n int) string {
			switch {
			case i == 0:
				return plain(i, "loop-start", `"title":"x"`)
			case i == n-1:
				return plain(i, "loop-end", `"title":"x"`)
			case i%3 == 0:
				return plain(i, "cli", `"content":"echo ${1}"`)
			}
			return plain(i, "text-format", `"content":"${1}${2}"`)
		}),
		made("shape-nebulaflow-branched.json", branched),
		made("shape-nebulaflow-state.json", func() string {
			text := editor("", func(i, _ int) string {
				return plain(i, "variable", fmt.Sprintf(`"variableName":"v%d","content":"x"`, i))
			}).
				write(shape{nodes: drawingNodes, to: chain})
			var b strings.Builder
			for i := range drawingNodes {
				fmt.Fprintf(&b, `,"n%d":{"status":"completed","output":"x"}`, i)
			}
			return strings.TrimSuffix(text, "}") + `,"state":{"nodeResults":{` + b.String()[1:] + `}}}`
		}),
	}
}

// branched is a loop of NebulaFlow in which each text stands behind a decision, so that its
// reader has to be told which of them have been made.
func branched() string {
	var nodes, edges []string
	edge := func(from, to, handle string) {
		edges = append(edges, fmt.Sprintf(`{"id":"e%d","source":"%s","target":"%s","sourceHandle":"%s"}`, len(edges), from, to, handle))
	}
	nodes = append(nodes, `{"id":"s","type":"loop-start","data":{}}`, `{"id":"t","type":"loop-end","data":{}}`)
	last := "s"
	for i := range 1600 {
		d, x, p := fmt.Sprintf("d%d", i), fmt.Sprintf("x%d", i), fmt.Sprintf("p%d", i)
		nodes = append(nodes, `{"id":"`+d+`","type":"if-else","data":{"content":"${1} === a"}}`, `{"id":"`+x+`","type":"llm","data":{"content":"b"}}`, `{"id":"`+p+`","type":"preview","data":{}}`)
		edge(last, d, "")
		edge(d, x, "true")
		edge(d, p, "false")
		edge(x, p, "")
		last = p
	}
	edge(last, "t", "")
	return `{"nodes":[` + strings.Join(nodes, ",") + `],"edges":[` + strings.Join(edges, ",") + `]}`
}
