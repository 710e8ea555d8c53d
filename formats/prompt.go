package formats

import (
	"fmt"

	"github.com/stepgraph/stepgraph/compat/flowise"
	"github.com/stepgraph/stepgraph/engine"
)

// PromptInput is the name of the input that holds what a person says first to a workflow. The
// error says how a workflow is started whose format has no such input.
func PromptInput(w *engine.Workflow) (string, error) {
	switch w.Extra[PropertySource] {
	case "flowise":
		return flowise.PromptInput(w)
	case "nebulaflow":
		return "", fmt.Errorf("workflow %q came from NebulaFlow, whose workflows take no prompt: put the text into its first text node (a subflow takes --input port-in-0=TEXT)", w.ID)
	}
	return "prompt", nil
}
