package state

import (
	"bytes"
	"sync"
)

// Decoding a state takes as long as it is large: with thousands of steps milliseconds, some of them
// under the session's lock. 1,000 answers to a session with 1,000 open questions took 39 s. So two
// kinds of states are kept decoded, to be read only:
//
//   - those that this process has just written: callers that wait for the session read it next, and
//     the next answer to it may come soon (see Keep);
//   - large ones that were read: requests that come to one session at the same moment are all judged
//     by the same stored state.
//
// A kept state counts only for the identical text, no matter which engine has written it.

const (
	largeState = 16 << 10 // from how many bytes on a state that is read is kept
	keptStates = 512      // how many are kept
	keptBytes  = 16 << 20 // of all kept texts; the newest is kept whatever its size
)

var kept = keptTexts{byID: map[string]keptState{}}

// keptTexts are the states kept decoded, the oldest of which go first.
type keptTexts struct {
	mu    sync.Mutex
	byID  map[string]keptState
	order []string
	bytes int
}

type keptState struct {
	text []byte
	read *Reading
}

// A Reading is a decoded state that several may read at the same time, with what they make of
// it: see Shared.
type Reading struct {
	*State
	mu     sync.Mutex
	shared map[string]any
}

// Read gives a state to readers. It must not be changed any more.
func Read(s *State) *Reading { return &Reading{State: s} }

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

// ReadOnly is Parse for callers that only read.
func ReadOnly(id string, text []byte) (*Reading, error) {
	if have := kept.find(id, text); have != nil {
		return have, nil
	}
	parsed, err := Parse(id, text)
	if err != nil {
		return nil, err
	}
	read := Read(parsed)
	if len(text) >= largeState {
		kept.keep(id, bytes.Clone(text), read)
	}
	return read, nil
}

// Keep keeps a state that was written as text. Neither of them may be changed any more.
func Keep(text []byte, s *State) { kept.keep(s.ID, text, Read(s)) }

// ForgetKept drops all states kept decoded, for a test of what a new process does.
func ForgetKept() {
	kept.mu.Lock()
	defer kept.mu.Unlock()
	kept.byID, kept.order, kept.bytes = map[string]keptState{}, nil, 0
}

func (k *keptTexts) find(id string, text []byte) *Reading {
	k.mu.Lock()
	have, ok := k.byID[id]
	k.mu.Unlock()
	if !ok || !bytes.Equal(have.text, text) {
		return nil
	}
	return have.read
}

func (k *keptTexts) keep(id string, text []byte, read *Reading) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if _, ok := k.byID[id]; !ok {
		k.order = append(k.order, id)
	}
	k.bytes += len(text) - len(k.byID[id].text)
	k.byID[id] = keptState{text, read}
	for len(k.order) > keptStates || len(k.order) > 1 && k.bytes > keptBytes {
		k.bytes -= len(k.byID[k.order[0]].text)
		delete(k.byID, k.order[0])
		k.order = k.order[1:]
	}
}
