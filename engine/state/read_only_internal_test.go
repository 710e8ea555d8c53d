package state

import (
	"fmt"
	"strings"
	"testing"
)

// TestKeptStates: a state that was written is not decoded again while it is kept, another text of
// the session is, and what is kept has bounds.
func TestKeptStates(t *testing.T) {
	k := keptTexts{byID: map[string]keptState{}}
	large := strings.Repeat("x", keptBytes/4)
	for i := range 10 {
		k.keep(fmt.Sprint("large", i), []byte(large), &Reading{})
	}
	if len(k.order) > 4 || k.bytes > keptBytes {
		t.Errorf("%d large states of %d bytes in all are kept", len(k.order), k.bytes)
	}
	for i := range 2 * keptStates {
		k.keep(fmt.Sprint("small", i%(keptStates+1)), []byte("{}"), &Reading{})
	}
	if len(k.order) != keptStates || len(k.byID) != keptStates || k.bytes != 2*keptStates {
		t.Errorf("%d states, %d by id, of %d bytes are kept", len(k.order), len(k.byID), k.bytes)
	}
	s := New("written")
	s.SetStatus("root", "complete", "")
	text := s.AppendJSON(nil)
	Keep(text, s)
	before := Parses()
	read, err := ReadOnly("written", text)
	if err != nil || read.State != s || Parses() != before {
		t.Errorf("%v, %d decoded", err, Parses()-before)
	}
	if read, err = ReadOnly("written", []byte(`{}`)); err != nil || len(read.StepIDs()) != 0 || Parses() == before {
		t.Errorf("another text: %v, %v", read.StepIDs(), err)
	}
}
