package storetest

import (
	"testing"

	"github.com/stepgraph/stepgraph/engine/store"
)

// An area is the cases of one file.
type area struct {
	name  string
	cases []testCase
}

// sideBySide are the areas whose cases may run at the same time on one database.
func sideBySide() []area {
	return []area{
		{"create", createCases},
		{"start key", startKeyCases},
		{"list", listCases},
		{"page", pageCases},
		{"candidates", candidateCases},
		{"count", countCases},
		{"lease", leaseCases},
		{"extend", extendCases},
		{"checkpoint", checkpointCases},
		{"guard", guardCases},
		{"again", againCases},
		{"batch", batchCases},
		{"due", dueCases},
		{"closing", closingCases},
		{"children", childCases},
		{"descendants", familyCases},
		{"parent", parentCases},
		{"blob", blobCases},
		{"result", resultCases},
		{"arrival", arrivalCases},
		{"deliver", deliverCases},
		{"decide", decideCases},
		{"deliver and claim", deliverClaimCases},
		{"many deliveries", manyDeliveryCases},
		{"inbox", inboxCases},
		{"edit state", editStateCases},
		{"history", historyCases},
		{"lineage", lineageCases},
		{"workflow", workflowCases},
		{"edit workflow", editWorkflowCases},
		{"path", pathCases},
		{"definition", definitionCases},
		{"delete", deleteCases},
		{"retention", retentionCases},
		{"wake", wakeCases},
		{"engines", enginesCases},
		{"audit", auditCases},
		{"batches", batchesCases},
		{"batch items", batchItemCases},
		{"odd texts", oddCases},
		{"schema", schemaCases},
	}
}

// Run runs the conformance suite. open is called once for each case; it may return the
// same store every time and closes what it opened by t.Cleanup. The cases that claim
// whatever is due run last and one after another: nothing else may claim on that
// database meanwhile.
func Run(t *testing.T, open func(t *testing.T) store.Store) {
	t.Run("side by side", func(t *testing.T) {
		for _, a := range sideBySide() {
			t.Run(a.name, func(t *testing.T) { runArea(t, a, open, true) })
		}
	})
	runArea(t, area{"claim", claimCases}, open, false)
	runArea(t, area{"claim batches", batchClaimCases}, open, false)
	runArea(t, area{"turns", turnCases}, open, false)
}

func runArea(t *testing.T, a area, open func(t *testing.T) store.Store, parallel bool) {
	for _, c := range a.cases {
		t.Run(c.name, func(t *testing.T) {
			if parallel {
				t.Parallel()
			}
			c.run(newKit(t, open(t)))
		})
	}
}
