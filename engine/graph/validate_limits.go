package graph

import (
	"strings"

	"github.com/stepgraph/stepgraph/references"
)

// limits looks at what the workflow says of when its sessions run.
func (v *validation) limits() {
	l, err := v.d.Workflow.LimitsInForce()
	if err != nil {
		v.add("error", "limits", "", "", "%v", err)
	}
	if l.ConcurrencyKey == "" || v.near(l.ConcurrencyKey, "", "") {
		return
	}
	if !strings.Contains(l.ConcurrencyKey, "@{"+references.Token) {
		v.add("warning", "constant_key", "", "", "%s has no reference, so all sessions have the same key; write a reference to an input, such as @{%s}.customer", limitKey, references.Token)
	}
}
