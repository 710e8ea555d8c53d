package cypher

import (
	"context"
	"slices"
	"strings"

	"github.com/stepgraph/stepgraph/engine/graph"
	"github.com/stepgraph/stepgraph/internal/sorting"
)

// definitions holds the texts of steps by hash.
type definitions struct{ *db }

// SaveDefinitions keeps texts by hash. They are written in the order of the hashes, so
// that two engines that save the same ones do not wait for each other in a circle.
func (s definitions) SaveDefinitions(ctx context.Context, definitions []graph.StoredDefinition) error {
	if len(definitions) == 0 {
		return nil
	}
	sorted := slices.Clone(definitions)
	sorting.By(sorted, func(a, b *graph.StoredDefinition) int { return strings.Compare(a.Hash, b.Hash) })
	rows := make([]any, len(sorted))
	for i, d := range sorted {
		rows[i] = params{"hash": d.Hash, "workflow": d.Workflow, "step": d.Step, "text": d.Text, "first_seen": stamp(d.FirstSeen)}
	}
	_, err := s.write(ctx, queryTextsSave, params{"rows": rows})
	return err
}

// Definitions returns the texts of the hashes that exist.
func (s definitions) Definitions(ctx context.Context, hashes []string) ([]graph.StoredDefinition, error) {
	if len(hashes) == 0 {
		return nil, nil
	}
	rows, err := s.read(ctx, queryTextsByHash, params{"hashes": distinct(hashes)})
	return definitionsFrom(rows), err
}

// StepDefinitions returns what a step, or each step of a workflow, has been.
func (s definitions) StepDefinitions(ctx context.Context, workflow, step string) ([]graph.StoredDefinition, error) {
	q, p := queryTextsOfStep, params{"workflow": workflow, "step": step}
	if step == "" {
		q, p = queryTextsOfWorkflow, params{"workflow": workflow}
	}
	rows, err := s.read(ctx, q, p)
	return definitionsFrom(rows), err
}

func definitionsFrom(rows []row) []graph.StoredDefinition {
	list := make([]graph.StoredDefinition, len(rows))
	for i, r := range rows {
		p := r.properties("definition")
		list[i] = graph.StoredDefinition{Hash: p.text("hash"), Workflow: p.text("workflow"), Step: p.text("step"),
			Text: p.text("text"), FirstSeen: p.time("first_seen")}
	}
	return list
}
