package access_test

import (
	"errors"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stepgraph/stepgraph/access"
)

func TestLimitsOfWorkflowsAndLabels(t *testing.T) {
	limit := access.Limit{Workflows: []string{"hello", "shop.*"}, Labels: map[string]string{"team": "blue"}}
	blue := map[string]string{"team": "blue", "more": "x"}
	for _, c := range []struct {
		workflow string
		labels   map[string]string
		within   bool
	}{
		{"hello", blue, true}, {"shop.order", blue, true}, {"shop.", blue, true},
		{"shop", blue, false}, {"hello2", blue, false}, {"", blue, false}, {"Hello", blue, false},
		{"hello", nil, false}, {"hello", map[string]string{"team": "red"}, false}, {"hello", map[string]string{"team": ""}, false},
	} {
		if got := limit.Session(c.workflow, c.labels); got != c.within {
			t.Errorf("%q with %v: %t", c.workflow, c.labels, got)
		}
	}
	if got, ok := limit.With(map[string]string{"team": "red"}); ok {
		t.Errorf("a contradiction gives %v", got)
	}
	if !(access.Limit{}).Session("any", nil) {
		t.Error("no limit excludes something")
	}
}

func TestWhatCannotBeLimited(t *testing.T) {
	f := open(t, filepath.Join(t.TempDir(), "tokens"))
	limit := access.Limit{Workflows: []string{"hello"}}
	for _, w := range []access.Wish{
		{Name: "a", Scopes: []string{access.Admin}, Limit: limit},
		{Name: "b", Scopes: []string{access.Edit, access.RunCode}, Limit: limit},
		{Name: "c", Scopes: []string{access.Read}, Limit: access.Limit{Workflows: []string{" "}}},
		{Name: "d", Scopes: []string{access.Read}, Limit: access.Limit{Labels: map[string]string{"": "x"}}},
	} {
		if _, _, err := f.Make(w); !errors.Is(err, access.ErrInvalid) {
			t.Errorf("%+v: %v", w, err)
		}
	}
	text, _, err := f.Make(access.Wish{Name: "ok", Scopes: []string{access.Read}, Limit: limit})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := f.Find(text); err != nil || !got.Limit.Workflow("hello") || got.Limit.Workflow("other") {
		t.Errorf("found %+v, %v", got, err)
	}
}

// TestTwoProcessesChangeTokens: two files of one name stand for two processes. No change of
// one may undo that of the other.
func TestTwoProcessesChangeTokens(t *testing.T) {
	name := filepath.Join(t.TempDir(), "tokens")
	one, two := open(t, name), open(t, name)
	var all sync.WaitGroup
	for i := range 20 {
		f := []*access.File{one, two}[i%2]
		all.Go(func() {
			if _, _, err := f.Create("t"+string(rune('a'+i)), []string{access.Read}, 0); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if list, err := open(t, name).List(); err != nil || len(list) != 20 {
		t.Errorf("%d tokens, %v", len(list), err)
	}
}
