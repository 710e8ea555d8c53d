package session

import (
	"encoding/json"

	"github.com/stepgraph/stepgraph/engine/state"
)

// keptBytes is the size in bytes above which texts of the engine's own part of the state are
// stored as a BLOB.
const keptBytes = 4 << 10

// keepText returns the form in which the engine's part of the state stores a JSON text: the text
// itself, or a reference to a BLOB.
func (r *ledger) keepText(text json.RawMessage) json.RawMessage {
	if len(text) <= keptBytes {
		return text
	}
	marker, hash := state.KeptOnBlob(text)
	r.writeBlob(hash, text)
	return marker
}

// keptText returns the JSON text that keepText stored.
func (r *ledger) keptText(value json.RawMessage) (json.RawMessage, error) {
	hash := state.KeptHash(value)
	if hash == "" {
		return value, nil
	}
	return r.blob(hash)
}

// dropText drops the BLOB of a kept text, unless another value refers to the same BLOB.
func (r *ledger) dropText(value json.RawMessage) {
	hash := state.KeptHash(value)
	if hash == "" || r.state.Mentions(hash) {
		return
	}
	r.unwritten.drop = append(r.unwritten.drop, hash)
}
