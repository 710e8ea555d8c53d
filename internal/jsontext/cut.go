package jsontext

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
)

// Cut shortens a JSON text for the history: above 16 KB it becomes its length, its hash
// and its beginning.
func Cut(text json.RawMessage) json.RawMessage {
	if len(text) <= cutBytes {
		return text
	}
	sum := sha256.Sum256(text)
	head := text[:cutHead]
	short, _ := Marshal(map[string]any{"cut": true, "bytes": len(text), "hash": hex.EncodeToString(sum[:16]), "head": string(head)})
	return short
}

// Sizes at which a text of the history is cut, and what is kept of its beginning.
const (
	cutBytes = 16 << 10
	cutHead  = 1 << 10
)
