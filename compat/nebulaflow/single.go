//lint:file-ignore ST1005 clients show these texts, so they are NebulaFlow's to the letter

package nebulaflow

import (
	"encoding/json"
	"fmt"

	"github.com/stepgraph/stepgraph/engine"
)

// A Single is the message execute_node: one node with its inputs and variables.
type Single struct {
	Node      json.RawMessage   `json:"node"`
	Inputs    []string          `json:"inputs"`
	Variables map[string]string `json:"variables"`
}

// aloneNever are the nodes that mean nothing outside of a workflow.
var aloneNever = map[string]bool{kindAccumulator: true, kindLoopStart: true, kindLoopEnd: true, kindInput: true, kindOutput: true}

// Workflow returns a workflow with this one node and the start request of its session. A node
// that cannot run alone is an error in NebulaFlow's wording.
func (s Single) Workflow(id string) (*engine.Workflow, engine.StartRequest, error) {
	n := &node{}
	if err := json.Unmarshal(s.Node, n); err != nil {
		return nil, engine.StartRequest{}, fmt.Errorf("node: %w", err)
	}
	if n.fault != "" {
		return nil, engine.StartRequest{}, fmt.Errorf("node %q: %s", n.ID, n.fault)
	}
	if aloneNever[n.Type] || !kinds[n.Type] {
		return nil, engine.StartRequest{}, fmt.Errorf("Run mode \"single-node\" is not supported for node type: %s", n.Type)
	}
	n.Data.Active, n.Data.Bypass = nil, false // who runs it alone wants it to run
	f := &flow{graph: graph{Nodes: []*node{n}}}
	f.prepare()
	f.findRegions()
	c := newCompiler(f)
	q := engine.StartRequest{Workflow: id, Outputs: map[string]json.RawMessage{}}
	for name, value := range s.Variables {
		c.variables[name] = true
		q.Outputs[c.variableID(name)] = encode(value)
	}
	c.given = []text{}
	for _, given := range s.Inputs {
		c.given = append(c.given, lit(given))
	}
	if n.Type == kindPreview { // it shows its inputs as templates of one another
		plain := c.given
		c.given = nil
		for _, given := range s.Inputs {
			c.given = append(c.given, c.template(given, plain, n))
		}
	}
	w := c.compile()
	w.ID = id
	if c.over != nil {
		return nil, engine.StartRequest{}, fmt.Errorf("node %q: its texts come to more than %d MB", n.ID, mostText>>20)
	}
	return w, q, nil
}
