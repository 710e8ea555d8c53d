package engine

import (
	"bytes"

	"github.com/stepgraph/stepgraph/engine/state"
	"github.com/stepgraph/stepgraph/engine/store"
)

// An opened is the decoded state of a session on its way through one request: the decision under
// the session's lock, the runner that applies the request, and the view that is returned all need
// it, and the text is decoded once. It belongs to one goroutine. The state is only read; the
// runner gets a clone.
type opened struct {
	text []byte
	read *state.Reading
}

// of returns the decoded state of a record. It decodes the text only if it is another one than
// before.
func (o *opened) of(rec *store.SessionRecord) (*state.Reading, error) {
	if o.read != nil && o.read.ID == rec.ID && bytes.Equal(o.text, rec.State) {
		return o.read, nil
	}
	read, err := state.ReadOnly(rec.ID, rec.State)
	if err != nil {
		return nil, err
	}
	o.text, o.read = rec.State, read
	return read, nil
}

// own returns a state of a record that the caller may change, nil if the record's text was not
// decoded before.
func (o *opened) own(rec *store.SessionRecord) *State {
	if o.read == nil || o.read.ID != rec.ID || !bytes.Equal(o.text, rec.State) {
		return nil
	}
	return o.read.Clone()
}
