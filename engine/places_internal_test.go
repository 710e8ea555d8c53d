package engine

import (
	"fmt"
	"testing"
)

func newHolding(places int) *holding {
	h := &holding{runners: map[string]*held{}, places: newPlaces(Options{MaxSessions: places, MaxWaiting: 4 * places}), running: true}
	h.wake = make(chan struct{}, 1)
	return h
}

// TestPlacesOfOneWorkflow: a workflow that is alone has all places. When they are full, others and
// requests of people still get some.
func TestPlacesOfOneWorkflow(t *testing.T) {
	h := newHolding(16)
	for i := range 16 {
		if h.reserve(fmt.Sprint(i), "night", started) == nil {
			t.Fatalf("session %d of the only workflow has no place, of 16", i)
		}
	}
	if h.reserve("17", "night", started) != nil {
		t.Error("a workflow has more than all places")
	}
	if h.reserve("chat", "chat", started) == nil {
		t.Error("another workflow has no place in an engine full of one")
	}
	if h.reserve("batch", "chat", unhurried) == nil {
		t.Error("due work of another workflow has no place in an engine full of one")
	}
	if h.reserve("batch-2", "chat", unhurried) != nil {
		t.Error("due work took what is left for starts and people")
	}
	for i := range 2 {
		if h.reserve(fmt.Sprint("answered-", i), "night", urgent) == nil {
			t.Error("a request of a person has no place")
		}
	}
	if h.reserve("answered-2", "night", urgent) != nil {
		t.Error("more than a quarter above all places")
	}
}

// TestStartsWaitBehindDueWork: a new session does not take the place for which earlier ones wait.
func TestStartsWaitBehindDueWork(t *testing.T) {
	h := newHolding(8)
	var places []*place
	for i := range 8 {
		places = append(places, h.reserve(fmt.Sprint(i), "night", started))
	}
	if h.reserve("first", "night", started) != nil {
		t.Fatal("a ninth session has a place")
	}
	h.giveBack(places[0])
	if h.reserve("second", "night", started) != nil {
		t.Error("a later session took the place that the earlier one waits for")
	}
	select {
	case <-h.wake:
	default:
		t.Error("no search for the session that waits was asked for")
	}
	for range 4 {
		h.giveBack(places[len(places)-1])
		places = places[:len(places)-1]
	}
	if h.reserve("third", "night", started) == nil {
		t.Error("a workflow below its share waits")
	}
	found, _ := h.reserveForClaim(100)
	h.searched(found, false)
	if h.reserve("fourth", "night", started) == nil {
		t.Error("a session waits although nothing is due")
	}
}
