package compare_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stepgraph/stepgraph/functions/compare"
)

// TestPatternsShareABudget: forty patterns that each run into their own limit took 16 s.
func TestPatternsShareABudget(t *testing.T) {
	text, _ := json.Marshal(strings.Repeat("a", 40) + "!")
	rule := compare.Rule{Type: compare.Text, Left: text, Operator: compare.Matches, Right: json.RawMessage(`"(a+)+$"`)}
	options := compare.Options{LenientPatterns: true, Budget: compare.NewBudget()}
	began := time.Now()
	var err error
	for range 40 {
		if _, err = rule.Holds(options); err != nil {
			break
		}
	}
	if err == nil || !strings.Contains(err.Error(), "together") || time.Since(began) > 4*time.Second {
		t.Errorf("after %v: %v", time.Since(began), err)
	}
}
