package callcentre_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stepgraph/stepgraph/compat/callcentre"
)

// TestToldTooMuch: a tool whose long description many departments are told is refused with the
// edge at which it is too much, instead of filling the memory.
func TestToldTooMuch(t *testing.T) {
	parse := func(departments int) error {
		var nodes, edges strings.Builder
		for i := range departments {
			fmt.Fprintf(&nodes, ",\n"+`{"id":"d%d","type":"departmentNode","data":{}}`, i)
			fmt.Fprintf(&edges, ",\n"+`{"id":"e%d","source":"d%d","target":"t"}`, i, i)
		}
		_, err := callcentre.Parse("f.json", []byte(`{"nodes":[{"id":"r","type":"routerNode","data":{}},{"id":"t","type":"subAgentNode","data":{"description":"`+strings.Repeat("x", 1<<20)+`"}}`+
			nodes.String()+"],\n"+`"edges":[`+strings.TrimPrefix(edges.String(), ",")+"]}"))
		return err
	}
	if err := parse(63); err != nil {
		t.Errorf("63 departments that are told a megabyte: %v", err)
	}
	err := parse(100)
	if want := `edge "e63": up to here what agents are told of their tools comes to more than 64 MB`; err == nil || !strings.HasPrefix(err.Error(), "f.json:166:1: "+want) || strings.Contains(err.Error(), "\n") {
		t.Errorf("100 departments: got %v, want %s", err, want)
	}
}
