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

// TestMarksShareTheBudget: what takes marks out of texts are patterns too. Texts on which they
// take long, in many rules, took as many times 750 ms.
func TestMarksShareTheBudget(t *testing.T) {
	options := compare.Options{StripMarkup: true, Budget: compare.NewBudget()}
	began := time.Now()
	var err error
	rules := 0
	for i := range 40 {
		text, _ := json.Marshal(strings.Repeat("*a _b `", 30_000+i))
		rule := compare.Rule{Type: compare.Text, Left: text, Operator: compare.Equal, Right: json.RawMessage(`"x"`)}
		if _, err = rule.Holds(options); err != nil {
			break
		}
		rules++
	}
	if err == nil || !strings.Contains(err.Error(), "together") || time.Since(began) > 6*time.Second {
		t.Errorf("%d rules, after %v: %v", rules, time.Since(began), err)
	}
	t.Logf("%d rules in %v", rules, time.Since(began))
	// The same text in many rules costs once.
	options.Budget = compare.NewBudget()
	text, _ := json.Marshal(strings.Repeat("a **word** and more ", 2_000))
	for range 500 {
		if _, err := (compare.Rule{Type: compare.Text, Left: text, Operator: compare.Equal, Right: json.RawMessage(`"x"`)}).Holds(options); err != nil {
			t.Fatal(err)
		}
	}
}
