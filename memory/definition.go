package memory

import (
	"cmp"
	"context"

	"github.com/stepgraph/stepgraph/engine/graph"
	"github.com/stepgraph/stepgraph/internal/sorting"
)

// definitions are what steps were when they were executed.
type definitions struct{ *data }

// SaveDefinitions keeps the first text of each hash.
func (s definitions) SaveDefinitions(ctx context.Context, definitions []graph.StoredDefinition) error {
	if err := s.begin(ctx); err != nil {
		return err
	}
	defer s.mu.Unlock()
	for _, d := range definitions {
		if _, there := s.definitions[d.Hash]; there {
			continue
		}
		d.FirstSeen = utc(d.FirstSeen)
		if d.FirstSeen.IsZero() {
			d.FirstSeen = s.now()
		}
		s.definitions[d.Hash] = d
	}
	return nil
}

// Definitions returns those that are there, each once.
func (s definitions) Definitions(ctx context.Context, hashes []string) ([]graph.StoredDefinition, error) {
	if err := s.begin(ctx); err != nil {
		return nil, err
	}
	defer s.mu.Unlock()
	var out []graph.StoredDefinition
	for _, h := range sortedIDs(hashes) {
		if d, ok := s.definitions[h]; ok {
			out = append(out, d)
		}
	}
	return out, nil
}

// StepDefinitions returns the oldest first.
func (s definitions) StepDefinitions(ctx context.Context, workflow, step string) ([]graph.StoredDefinition, error) {
	if err := s.begin(ctx); err != nil {
		return nil, err
	}
	defer s.mu.Unlock()
	var out []graph.StoredDefinition
	for _, d := range s.definitions {
		if d.Workflow == workflow && (step == "" || d.Step == step) {
			out = append(out, d)
		}
	}
	sorting.By(out, func(a, b *graph.StoredDefinition) int {
		return cmp.Or(a.FirstSeen.Compare(b.FirstSeen), cmp.Compare(a.Hash, b.Hash))
	})
	return out, nil
}
