package nebulaflow_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stepgraph/stepgraph/compat/nebulaflow"
)

// drawn is a file of n nodes in a row.
func drawn(n int, node func(i int) string) string {
	var nodes, edges []string
	for i := range n {
		nodes = append(nodes, fmt.Sprintf(`{"id":"n%d",%s}`, i, node(i)))
		if i > 0 {
			edges = append(edges, fmt.Sprintf(`{"id":"e%d","source":"n%d","target":"n%d"}`, i, i-1, i))
		}
	}
	return `{"nodes":[` + strings.Join(nodes, ",") + `],"edges":[` + strings.Join(edges, ",") + `]}`
}

func plain(text string) func(int) string {
	return func(int) string { return `"type":"text-format","data":{"content":"` + text + `"}` }
}

func TestLimits(t *testing.T) {
	for name, c := range map[string]struct{ src, want string }{
		"as long as may be": {drawn(5000, plain("${1} ${2}")), ""},
		"too long":          {drawn(5001, plain("x")), "there are 5001 nodes, more than the 5000"},
		"loops": {drawn(1002, func(i int) string {
			return []string{`"type":"loop-start"`, `"type":"loop-end"`}[i%2]
		}), "there are 501 loops, more than the 500"},
		"ports": {drawn(1, func(int) string {
			return `"type":"subflow","data":{"subflowId":"s","outputPortCount":2147483647}`
		}), `node "n0" has more than 1000 ports`},
		"text that stands for much": {drawn(60, func(i int) string {
			if i == 0 {
				return plain(strings.Repeat("x", 100_000))(i)
			}
			return plain(strings.Repeat("${1}", 900))(i)
		}), `node "n1": up to here the texts`},
	} {
		_, err := nebulaflow.Parse("f.json", []byte(c.src))
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%s: %v", name, err)
		case c.want != "" && (err == nil || !strings.HasPrefix(err.Error(), "f.json:1:") || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%s: got %v, want a place and %q", name, err, c.want)
		}
	}
}
