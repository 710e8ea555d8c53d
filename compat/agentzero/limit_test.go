package agentzero_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stepgraph/stepgraph/compat/agentzero"
)

// TestTooManyVariables: agents and conditions in turns, so that each condition has the outputs
// of all agents before it, are refused where they would fill the memory.
func TestTooManyVariables(t *testing.T) {
	parse := func(n int) error {
		nodes, edges := []string{`{"id":"in","type":"input","data":{}}`}, []string{}
		last := "in"
		add := func(id, node string) {
			nodes = append(nodes, `{"id":"`+id+`",`+node+`}`)
			edges = append(edges, fmt.Sprintf(`{"id":"e%d","source":"%s","target":"%s","sourceHandle":"true"}`, len(edges), last, id))
			last = id
		}
		for i := range n {
			add(fmt.Sprintf("a%d", i), fmt.Sprintf(`"type":"agent","data":{"outputVariable":"v%d"}`, i))
			add(fmt.Sprintf("c%d", i), `"type":"condition","data":{"expression":"'x' in input"}`)
		}
		add("out", `"type":"output","data":{}`)
		_, err := agentzero.Parse("f.json", []byte(`{"nodes":[`+strings.Join(nodes, ",\n")+`],"edges":[`+strings.Join(edges, ",")+`]}`))
		return err
	}
	if err := parse(500); err != nil {
		t.Errorf("500 agents: %v", err)
	}
	err := parse(2400)
	if err == nil || !strings.HasPrefix(err.Error(), "f.json:") || !strings.Contains(err.Error(), "what agents hand to conditions comes to more than 64 MB") || strings.Contains(err.Error(), "\n") {
		t.Errorf("2400 agents: got %v", err)
	}
}
