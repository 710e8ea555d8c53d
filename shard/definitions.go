package shard

import (
	"cmp"
	"context"
	"slices"

	"github.com/stepgraph/stepgraph/engine/graph"
	"github.com/stepgraph/stepgraph/engine/store"
	"github.com/stepgraph/stepgraph/internal/sorting"
)

// rememberedTexts is how many hashes of definitions are remembered for each database.
const rememberedTexts = 20_000

// definitions are what steps were when they were executed.
type definitions struct{ *homes }

// SaveDefinitions keeps texts in the homes of their workflows.
func (s definitions) SaveDefinitions(ctx context.Context, definitions []graph.StoredDefinition) error {
	var groups []rowsOf[graph.StoredDefinition]
	for i, d := range definitions {
		groups = addRow(groups, s.home(d.Workflow), d, i)
	}
	return faults(askGroups(ctx, groups, func(st store.Store, rows []graph.StoredDefinition) (struct{}, error) {
		return struct{}{}, st.SaveDefinitions(ctx, rows)
	}))
}

// Definitions reads texts. The same text may be in several databases, so one that fails matters
// only if the others lack one.
func (s definitions) Definitions(ctx context.Context, hashes []string) ([]graph.StoredDefinition, error) {
	answers := ask(ctx, s.databases, func(st store.Store) ([]graph.StoredDefinition, error) { return st.Definitions(ctx, hashes) })
	found := map[string]bool{}
	var all []graph.StoredDefinition
	for _, a := range answers {
		for _, d := range a.out {
			if !found[d.Hash] {
				found[d.Hash] = true
				all = append(all, d)
			}
		}
	}
	if slices.ContainsFunc(hashes, func(h string) bool { return !found[h] }) {
		return all, faults(answers)
	}
	return all, nil
}

// StepDefinitions reads what a step has been, in all databases in which it ran.
func (s definitions) StepDefinitions(ctx context.Context, workflow, step string) ([]graph.StoredDefinition, error) {
	lists, err := allOrError(ask(ctx, s.databases, func(st store.Store) ([]graph.StoredDefinition, error) { return st.StepDefinitions(ctx, workflow, step) }))
	if err != nil {
		return nil, err
	}
	first := map[string]graph.StoredDefinition{}
	for _, list := range lists {
		for _, d := range list {
			if known, there := first[d.Hash]; !there || d.FirstSeen.Before(known.FirstSeen) {
				first[d.Hash] = d
			}
		}
	}
	all := make([]graph.StoredDefinition, 0, len(first))
	for _, d := range first {
		all = append(all, d)
	}
	sorting.By(all, func(a, b *graph.StoredDefinition) int {
		return cmp.Or(a.FirstSeen.Compare(b.FirstSeen), cmp.Compare(a.Step, b.Step), cmp.Compare(a.Hash, b.Hash))
	})
	return all, nil
}

// bringDefinitions copies into a database the texts that executions of foreign workflows refer to,
// so that its history can be read without the others. What cannot be read now is copied with a
// later checkpoint that refers to it: no checkpoint waits for another database.
func (s definitions) bringDefinitions(ctx context.Context, d *database, rows []store.Checkpoint) {
	var missing []rowsOf[string] // hashes by the homes of their workflows
	for i := range rows {
		for n := range rows[i].Executions {
			x := &rows[i].Executions[n]
			if x.Definition != "" && s.home(x.Workflow) != d && !d.hasText(x.Definition) {
				missing = addRow(missing, s.home(x.Workflow), x.Definition, i)
			}
		}
	}
	for _, m := range missing {
		if m.of.outage() != nil {
			continue
		}
		err := s.copyDefinitions(ctx, d, m)
		if err != nil {
			s.log.Debug("copy definitions to the database of a session", "database", d.name, "error", err)
		}
	}
}

func (s definitions) copyDefinitions(ctx context.Context, to *database, of rowsOf[string]) error {
	slices.Sort(of.rows)
	hashes := slices.Compact(of.rows)
	texts, err := brief(ctx, of.of, func(ctx context.Context, st store.Store) ([]graph.StoredDefinition, error) {
		return st.Definitions(ctx, hashes)
	})
	if err != nil || len(texts) == 0 {
		return err
	}
	if err := do(ctx, to, func(st store.Store) error { return st.SaveDefinitions(ctx, texts) }); err != nil {
		return err
	}
	to.mu.Lock()
	defer to.mu.Unlock()
	if to.texts == nil || len(to.texts) > rememberedTexts {
		to.texts = map[string]bool{}
	}
	for i := range texts {
		to.texts[texts[i].Hash] = true
	}
	return nil
}

func (d *database) hasText(hash string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.texts[hash]
}
