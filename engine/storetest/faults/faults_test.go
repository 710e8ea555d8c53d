package faults_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/stepgraph/stepgraph/engine/store"
	"github.com/stepgraph/stepgraph/engine/storetest"
	"github.com/stepgraph/stepgraph/engine/storetest/faults"
	"github.com/stepgraph/stepgraph/memory"
)

// A plan without faults changes nothing.
func TestTransparent(t *testing.T) {
	storetest.Run(t, func(*testing.T) store.Store { return faults.Wrap(memory.New(memory.Options{}), faults.Plan{}) })
}

// Calls that are not carried out cost a caller who repeats them nothing.
func TestNotDoneIsHarmless(t *testing.T) {
	storetest.Run(t, func(*testing.T) store.Store {
		return faults.Wrap(memory.New(memory.Options{}), faults.Plan{Seed: 7, NotDone: 0.1})
	})
}

func create(t *testing.T, opened store.Store, id string) error {
	t.Helper()
	results, err := opened.Create(t.Context(), []store.NewSession{{ID: id, State: []byte(`{}`)}})
	if err != nil {
		return err
	}
	return results[0].Err
}

func exists(t *testing.T, opened store.Store, id string) bool {
	t.Helper()
	_, err := opened.Session(t.Context(), id)
	if err != nil && !errors.Is(err, store.ErrSessionNotFound) {
		t.Fatal(err)
	}
	return err == nil
}

func TestFaults(t *testing.T) {
	for _, c := range []struct {
		fault   faults.Fault
		written bool
		err     error
	}{
		{faults.None, true, nil},
		{faults.NotDone, false, store.ErrUnavailable},
		{faults.Unanswered, true, store.ErrUnknownOutcome},
		{faults.Misreported, true, store.ErrUnavailable},
	} {
		t.Run(c.fault.String(), func(t *testing.T) {
			inner := memory.New(memory.Options{})
			opened := faults.Wrap(inner, faults.Plan{Calls: map[int]faults.Fault{2: c.fault}})
			if err := create(t, opened, "first"); err != nil {
				t.Fatal(err)
			}
			if err := create(t, opened, "second"); !errors.Is(err, c.err) {
				t.Errorf("error %v, want %v", err, c.err)
			}
			if got := exists(t, inner, "second"); got != c.written {
				t.Errorf("written: %v, want %v", got, c.written)
			}
			if err := create(t, opened, "third"); err != nil {
				t.Errorf("the call after the fault: %v", err)
			}
			want := 1
			if c.fault == faults.None {
				want = 0
			}
			if opened.Calls() != 3 || opened.Faults() != want {
				t.Errorf("%d calls and %d faults, want 3 and %d", opened.Calls(), opened.Faults(), want)
			}
		})
	}
}

// The answer of a read that is lost is no unknown outcome.
func TestUnansweredRead(t *testing.T) {
	opened := faults.Wrap(memory.New(memory.Options{}), faults.Plan{Unanswered: 1})
	if _, err := opened.Inboxes(t.Context(), nil); !errors.Is(err, store.ErrUnavailable) || errors.Is(err, store.ErrUnknownOutcome) {
		t.Errorf("error %v, want %v alone", err, store.ErrUnavailable)
	}
}

// failing returns the numbers of the calls that fail under a plan, of n calls.
func failing(t *testing.T, plan faults.Plan, n int) []int {
	t.Helper()
	opened := faults.Wrap(memory.New(memory.Options{}), plan)
	var numbers []int
	for i := range n {
		if _, err := opened.NextDue(t.Context()); err != nil {
			numbers = append(numbers, i+1)
		}
	}
	return numbers
}

func TestSeed(t *testing.T) {
	plan := faults.Plan{Seed: 1, NotDone: 0.2, Unanswered: 0.1}
	first := failing(t, plan, 1000)
	if again := failing(t, plan, 1000); !slices.Equal(first, again) {
		t.Error("the same seed gives other faults")
	}
	if n := len(first); n < 230 || n > 370 {
		t.Errorf("%d faults of 1000, want about 300", n)
	}
	plan.Seed = 2
	if other := failing(t, plan, 1000); slices.Equal(first, other) {
		t.Error("another seed gives the same faults")
	}
	plan.Methods = []string{"Commit"}
	if got := failing(t, plan, 100); len(got) > 0 {
		t.Errorf("faults %v in a method the plan does not name", got)
	}
	pick := faults.Plan{Seed: 1, NotDone: 1, Pick: func(c faults.Call) (faults.Fault, bool) {
		return faults.None, c.Method == "NextDue" && c.N%2 == 0
	}}
	if got := failing(t, pick, 5); !slices.Equal(got, []int{1, 3, 5}) {
		t.Errorf("faults %v, want 1, 3 and 5", got)
	}
}

// A process dies at each of its calls, before or after it was carried out.
func TestDie(t *testing.T) {
	for n := 1; n <= 3; n++ {
		for _, after := range []bool{false, true} {
			t.Run(fmt.Sprintf("call %d, after %v", n, after), func(t *testing.T) {
				inner := memory.New(memory.Options{})
				var opened *faults.Store
				plan := faults.Plan{}
				if after {
					plan.After = func(c faults.Call, err error) {
						if c.N == n && err == nil {
							opened.Die()
						}
					}
				} else {
					plan.Before = func(c faults.Call) {
						if c.N == n {
							opened.Die()
						}
					}
				}
				opened = faults.Wrap(inner, plan)
				for i := 1; i <= 4; i++ {
					id := fmt.Sprint(i)
					err := create(t, opened, id)
					if (i < n) != (err == nil) || err != nil && !errors.Is(err, faults.ErrDead) {
						t.Errorf("call %d: %v", i, err)
					}
					if want := i < n || i == n && after; exists(t, inner, id) != want {
						t.Errorf("call %d written: %v, want %v", i, !want, want)
					}
				}
				if !opened.Dead() {
					t.Error("the store lives on")
				}
			})
		}
	}
}
