package state

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"github.com/stepgraph/stepgraph/engine/graph"
	"github.com/stepgraph/stepgraph/internal/jsontext"
	"github.com/tidwall/gjson"
)

// outputList holds the kept outputs of one step, oldest first. single marks data that is
// no list (initial data of LUNA): it counts as the step's one output and stays as it is
// until another output comes.
type outputList struct {
	values []json.RawMessage
	single bool
}

// outputs are the kept outputs of all steps.
type outputs struct {
	byStep map[string]*outputList
	order  []string // of the keys in the text
}

// Outputs returns the kept outputs of a step, oldest first.
func (o *outputs) Outputs(step string) []json.RawMessage {
	if l := o.byStep[step]; l != nil {
		return l.values
	}
	return nil
}

// KeptOutput returns one kept output of a step as the state contains it: the index-th from the
// oldest, from the newest when index is negative. A large one stands for its BLOB, see BlobHash.
func (o *outputs) KeptOutput(step string, index int) (json.RawMessage, bool) {
	values := o.Outputs(step)
	if index < 0 {
		index += len(values)
	}
	if index < 0 || index >= len(values) {
		return nil, false
	}
	return values[index], true
}

// Output makes a State what references resolve against; see references.Outputs. Outputs
// that stand on a BLOB are errors here: use Engine.EvalReference.
func (o *outputs) Output(step string, index int) (json.RawMessage, bool, error) {
	value, ok := o.KeptOutput(step, index)
	if ok && BlobHash(value) != "" {
		return nil, false, fmt.Errorf("output of step %q stands on a BLOB of its session", step)
	}
	return value, ok, nil
}

// AddOutput appends an output and drops those beyond keep; it returns what was dropped.
func (o *outputs) AddOutput(step string, value json.RawMessage, keep int) []json.RawMessage {
	l := o.byStep[step]
	if l == nil {
		l = &outputList{}
		o.byStep[step] = l
		o.order = append(o.order, step)
	}
	l.single = false
	l.values = append(l.values, value)
	if extra := len(l.values) - keep; extra > 0 {
		dropped := l.values[:extra:extra]
		l.values = append([]json.RawMessage(nil), l.values[extra:]...)
		return dropped
	}
	return nil
}

// SetNewest replaces a step's newest output.
func (o *outputs) SetNewest(step string, value json.RawMessage) {
	if l := o.byStep[step]; l != nil && len(l.values) > 0 {
		l.values[len(l.values)-1] = value
		return
	}
	o.AddOutput(step, value, graph.KeptOutputs)
}

// DropNewest removes a step's newest output: the entry of a question that is asked again.
func (o *outputs) DropNewest(step string) {
	if l := o.byStep[step]; l != nil && !l.single && len(l.values) > 0 {
		l.values = l.values[:len(l.values)-1]
	}
}

// OutputIDs are the steps and names that have outputs, in the order of the text.
func (o *outputs) OutputIDs() []string { return o.order }

// ReplaceOutputs replaces each kept output by the result of change.
func (o *outputs) ReplaceOutputs(change func(json.RawMessage) json.RawMessage) {
	for _, list := range o.byStep {
		for i, value := range list.values {
			list.values[i] = change(value)
		}
	}
}

// KeepsBlob reports whether an output refers to the BLOB of this hash.
func (o *outputs) KeepsBlob(hash string) bool {
	for _, step := range o.order {
		for _, v := range o.byStep[step].values {
			if BlobHash(v) == hash {
				return true
			}
		}
	}
	return false
}

// blobKey marks, in the state, an output that stands on a BLOB of its session:
// {"@blob": "<hash>", "bytes": n}.
const blobKey = "@blob"

// BlobHash is the hash an output in the state stands for, "" when it stands for itself.
func BlobHash(value json.RawMessage) string {
	return hashUnder(blobKey, value, 200)
}

// OnBlob is what the state holds for an output that stands on a BLOB, and the hash of that.
func OnBlob(output json.RawMessage) (marker json.RawMessage, hash string) {
	sum := sha256.Sum256(output)
	hash = hex.EncodeToString(sum[:16])
	marker, _ = jsontext.Marshal(map[string]any{blobKey: hash, "bytes": len(output)})
	return marker, hash
}

// keptKey marks a text of the engine's own part that stands on a BLOB: {"@kept": "<hash>"}.
const keptKey = "@kept"

// KeptHash is the hash a text of the engine's own part stands for, "" when it stands for itself.
func KeptHash(value json.RawMessage) string {
	return hashUnder(keptKey, value, 100)
}

// hashUnder returns the text under a key of a small object. gjson takes a key that begins with @ for
// one of its modifiers first, which costs more than to look at every byte, so it is asked only
// where the key occurs.
func hashUnder(key string, value json.RawMessage, atMost int) string {
	if len(value) > atMost || !bytes.HasPrefix(value, []byte("{")) || !bytes.Contains(value, []byte(key)) {
		return ""
	}
	return gjson.GetBytes(value, key).String()
}

// KeptOnBlob is what the engine's own part holds for a text that stands on a BLOB, and the hash
// of that: another one than an output of the same text has.
func KeptOnBlob(text json.RawMessage) (marker json.RawMessage, hash string) {
	sum := sha256.Sum256(append([]byte(keptKey), text...))
	hash = hex.EncodeToString(sum[:16])
	marker, _ = jsontext.Marshal(map[string]any{keptKey: hash})
	return marker, hash
}
