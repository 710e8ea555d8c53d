package inturn

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"

	"github.com/stepgraph/stepgraph/engine/graph"
	"github.com/stepgraph/stepgraph/engine/state"
	"github.com/stepgraph/stepgraph/internal/jsontext"
	"github.com/stepgraph/stepgraph/references"
)

// Key is the value by which the limits of a workflow hold for a session that begins with
// these outputs: empty without one. It is a part of an index key, so it is bounded.
func Key(l graph.Limits, session string, outputs references.Outputs) string {
	if l.ConcurrencyKey == "" {
		return ""
	}
	text, err := jsontext.Marshal(l.ConcurrencyKey)
	if err != nil {
		return ""
	}
	in, err := references.ParseValue(text)
	if err != nil {
		return ""
	}
	res, err := in.Resolve(references.Scope{Session: session, Outputs: outputs, Limit: 1 << 20})
	if err != nil || len(res.Missing) > 0 {
		return ""
	}
	key := string(res.Value)
	if key == "null" {
		return ""
	}
	var plain string
	if json.Unmarshal(res.Value, &plain) == nil {
		key = plain
	}
	if len(key) > maxKey || strings.ContainsFunc(key, func(c rune) bool { return c < ' ' }) {
		return hash(res.Value)
	}
	return key
}

// Given are the outputs that a session begins with.
type Given struct{ *state.State }

// Output implements references.Outputs.
func (o Given) Output(step string, index int) (json.RawMessage, bool, error) {
	value, ok := o.KeptOutput(step, index)
	return value, ok, nil
}

// maxKey bounds a key in bytes.
const maxKey = 200

func hash(value []byte) string {
	sum := sha256.Sum256(value)
	return hex.EncodeToString(sum[:16])
}
