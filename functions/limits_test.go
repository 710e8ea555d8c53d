package functions_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/engine/store"
	"github.com/stepgraph/stepgraph/enginetest"
	"github.com/stepgraph/stepgraph/memory"
)

// TestAnInputIsBounded starts a session whose template refers 300 times to a large input.
func TestAnInputIsBounded(t *testing.T) {
	w := read(t, `{"format":"stepgraph","version":1,"id":"w","steps":[{"id":"root","function":"template","input":{"template":"`+
		strings.Repeat("@{SESSION_ID}.initial.big", 300)+`"}}],"paths":[]}`)
	result := enginetest.Play(t, enginetest.Game{Workflow: w, Registry: open(t), Inputs: map[string]string{"big": strings.Repeat("x", 900_000)}})
	if e := result.Session.Error; e == nil || e.Kind != function.KindTooLarge || !strings.Contains(e.Message, "more than 4194304 bytes") {
		t.Errorf("the session ended with %+v", e)
	}
}

// TestDescendantsAreBounded plays maps over maps: 10 + 100 + 1,000 + 10,000 sessions.
func TestDescendantsAreBounded(t *testing.T) {
	const most = 300
	var all []*engine.Workflow
	for n := 1; n <= 4; n++ {
		all = append(all, read(t, fmt.Sprintf(`{"format":"stepgraph","version":1,"id":"w%d","steps":[{"id":"root","function":"map","input":{"workflow":"w%d","items":[1,2,3,4,5,6,7,8,9,10]}}],"paths":[]}`, n, n+1)))
	}
	all = append(all, read(t, `{"format":"stepgraph","version":1,"id":"w5","steps":[{"id":"root","function":"reply","input":{"message":"hello"}}],"paths":[]}`))
	opened := memory.New(memory.Options{})
	result := enginetest.Play(t, enginetest.Game{Workflow: all[0], Also: all[1:], Registry: open(t), Store: opened, Session: "s", Options: engine.Options{SessionLimits: engine.SessionLimits{MaxChildren: most}}})
	result.WantStatus(engine.StatusError)
	below, err := opened.Descendants(t.Context(), store.DescendantQuery{Of: "s", Limit: 20_000})
	if err != nil || len(below) > most || len(below) < most/2 {
		t.Errorf("%d sessions below one, want up to %d, %v", len(below), most, err)
	}
	if e := result.Session.Error; e == nil || !strings.Contains(e.Message, "max_children") {
		t.Errorf("the session ended with %+v", e)
	}
}
