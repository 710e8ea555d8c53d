package state

import (
	"bytes"
	"sync"
)

// Requests that come to one session at the same moment are all judged by the same stored
// state, and each is answered with a view of it. With thousands of steps decoding it takes
// milliseconds, some of them under the session's lock: 1,000 answers to a session with 1,000
// open questions took 39 s. So the newest large states are kept decoded, to be read only. An
// entry counts only for the very same text, whoever has written it.

const (
	// largeState is from how many bytes on a state is kept.
	largeState = 16 << 10
	// readStates is how many are kept.
	readStates = 16
)

var decoded = struct {
	mu    sync.Mutex
	byID  map[string]decodedState
	order []string // oldest first
}{byID: map[string]decodedState{}}

type decodedState struct {
	text  []byte
	state *Reading
}

// A Reading is a decoded state that several may read at the same time, with what they make of
// it: see Shared.
type Reading struct {
	*State
	mu     sync.Mutex
	shared map[string]any
}

// Shared returns what of makes of a state, made once for all readers of it. None of them may
// change it.
func Shared[T any](r *Reading, name string, of func(*State) T) T {
	r.mu.Lock()
	defer r.mu.Unlock()
	if have, ok := r.shared[name]; ok {
		return have.(T)
	}
	made := of(r.State)
	r.shared = put(r.shared, name, any(made))
	return made
}

// ReadOnly is Parse for whoever only reads.
func ReadOnly(id string, text []byte) (*Reading, error) {
	if len(text) < largeState {
		st, err := Parse(id, text)
		if err != nil {
			return nil, err
		}
		return &Reading{State: st}, nil
	}
	decoded.mu.Lock()
	have, ok := decoded.byID[id]
	decoded.mu.Unlock()
	if ok && bytes.Equal(have.text, text) {
		return have.state, nil
	}
	parsed, err := Parse(id, text)
	if err != nil {
		return nil, err
	}
	st := &Reading{State: parsed}
	decoded.mu.Lock()
	defer decoded.mu.Unlock()
	if _, ok := decoded.byID[id]; !ok {
		if len(decoded.order) >= readStates {
			delete(decoded.byID, decoded.order[0])
			decoded.order = decoded.order[1:]
		}
		decoded.order = append(decoded.order, id)
	}
	decoded.byID[id] = decodedState{bytes.Clone(text), st}
	return st, nil
}
