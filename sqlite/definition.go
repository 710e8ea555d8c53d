package sqlite

import (
	"context"
	"time"

	"github.com/stepgraph/stepgraph/engine/graph"
)

// definitions are what steps were when they were executed.
type definitions struct{ *db }

// SaveDefinitions keeps texts by hash; those already there stay as they are.
func (s definitions) SaveDefinitions(ctx context.Context, definitions []graph.StoredDefinition) error {
	if len(definitions) == 0 {
		return nil
	}
	return s.writer.write(ctx, "save definitions", func(t *tx) error {
		for i := range definitions {
			d := &definitions[i]
			seen := t.now
			if !d.FirstSeen.IsZero() {
				seen = d.FirstSeen.UnixMicro()
			}
			if _, err := t.exec("definition_create", d.Hash, d.Workflow, d.Step, d.Text, seen); err != nil {
				return err
			}
		}
		return nil
	})
}

// Definitions returns the texts of the hashes that exist, in no order.
func (s definitions) Definitions(ctx context.Context, hashes []string) ([]graph.StoredDefinition, error) {
	return s.read(ctx, "definitions", list(hashes))
}

// StepDefinitions returns what a step has been, oldest first; step "" means every step.
func (s definitions) StepDefinitions(ctx context.Context, workflow, step string) ([]graph.StoredDefinition, error) {
	return s.read(ctx, "definitions_of_step", workflow, step)
}

func (s definitions) read(ctx context.Context, query string, args ...any) ([]graph.StoredDefinition, error) {
	var found []graph.StoredDefinition
	err := s.reader.each(ctx, query, func(row scanner) error {
		var d graph.StoredDefinition
		var seen int64
		err := row.Scan(&d.Hash, &d.Workflow, &d.Step, &d.Text, &seen)
		d.FirstSeen = time.UnixMicro(seen).UTC()
		found = append(found, d)
		return err
	}, args...)
	if err != nil {
		return nil, fault("read definitions", err)
	}
	return found, nil
}
