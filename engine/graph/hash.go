package graph

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"hash"
)

// ETag is a hash of everything people can edit in the workflow, positions on the canvas
// included. Two reads of an unchanged workflow give the same one on every store.
func (w *Workflow) ETag() string {
	h := sha256.New()
	HashJSON(h, map[string]any{"id": w.ID, "name": w.Name, "description": w.Description, "settings": w.Settings, "extra": w.Extra})
	for i := range w.Steps {
		HashJSON(h, w.Steps[i].Editable())
	}
	for i := range w.Paths {
		hashPath(h, &w.Paths[i])
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// Editable is a step's properties without the workflow, which the engine itself sets.
func (s *Step) Editable() map[string]any {
	p := s.Properties()
	delete(p, "workflow")
	return p
}

// hashPath covers a path's ends too; the name of a path without a stored id is not part.
func hashPath(h hash.Hash, p *Path) {
	HashJSON(h, map[string]any{"kind": p.Kind, "source": p.Source, "target": p.Target,
		"target_workflow": p.TargetWorkflow, "properties": p.Properties()})
}

// HashJSON feeds the canonical JSON of v: encoding/json sorts the keys of maps.
func HashJSON(h hash.Hash, v any) {
	b, err := json.Marshal(v)
	if err != nil { // NaN or an odd type in Extra: still the same bytes for the same value
		b = []byte(err.Error())
	}
	h.Write(b)
	h.Write([]byte{'\n'})
}
