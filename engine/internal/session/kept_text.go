package session

import (
	"encoding/json"

	"github.com/stepgraph/stepgraph/engine/state"
	"github.com/stepgraph/stepgraph/engine/store"
)

// keptBytes is the size above which texts of the engine's own part of the state stand on
// a BLOB.
const keptBytes = 4 << 10

// keepText returns what the engine's part of the state holds for a JSON text: itself, or
// where a BLOB keeps it.
func (r *ledger) keepText(text json.RawMessage) json.RawMessage {
	if len(text) <= keptBytes {
		return text
	}
	marker, hash := state.KeptOnBlob(text)
	r.unwritten.blobs = append(r.unwritten.blobs, store.Blob{Session: r.id, Hash: hash, Text: text})
	r.unwritten.bytes += len(text)
	r.rememberBlob(hash, text)
	return marker
}

// keptText returns the text that keepText kept.
func (r *ledger) keptText(value json.RawMessage) (json.RawMessage, error) {
	hash := state.KeptHash(value)
	if hash == "" {
		return value, nil
	}
	return r.blob(hash)
}

// dropText gives the BLOB of a kept text up, unless another holds the same.
func (r *ledger) dropText(value json.RawMessage) {
	hash := state.KeptHash(value)
	if hash == "" || r.state.Mentions(hash) {
		return
	}
	r.unwritten.drop = append(r.unwritten.drop, hash)
}
