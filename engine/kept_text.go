package engine

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"

	"github.com/stepgraph/stepgraph/internal/jsontext"
	"github.com/tidwall/gjson"
)

// keptBytes is the size above which texts of the engine's own part of the state stand on
// a BLOB.
const keptBytes = 4 << 10

// keptKey marks such a text: {"@kept": "<hash>"}.
const keptKey = "@kept"

// keepText returns what the engine's part of the state holds for a JSON text: itself, or
// where a BLOB keeps it.
func (r *runner) keepText(text json.RawMessage) json.RawMessage {
	if len(text) <= keptBytes {
		return text
	}
	sum := sha256.Sum256(append([]byte(keptKey), text...)) // apart from outputs of the same text
	hash := hex.EncodeToString(sum[:16])
	r.unwritten.blobs = append(r.unwritten.blobs, Blob{Session: r.id, Hash: hash, Text: text})
	r.unwritten.bytes += len(text)
	r.rememberBlob(hash, text)
	marker, _ := jsontext.Marshal(map[string]any{keptKey: hash})
	return marker
}

// keptText returns the text that keepText kept.
func (r *runner) keptText(value json.RawMessage) (json.RawMessage, error) {
	hash := keptHash(value)
	if hash == "" {
		return value, nil
	}
	return r.blob(hash)
}

// dropText gives the BLOB of a kept text up, unless another holds the same.
func (r *runner) dropText(value json.RawMessage) {
	hash := keptHash(value)
	if hash == "" {
		return
	}
	if text, _ := jsontext.Marshal(r.state.engine.Driven); strings.Contains(string(text), hash) {
		return
	}
	r.unwritten.drop = append(r.unwritten.drop, hash)
}

func keptHash(value json.RawMessage) string {
	if len(value) == 0 || len(value) > 100 || value[0] != '{' {
		return ""
	}
	return gjson.GetBytes(value, keptKey).String()
}
