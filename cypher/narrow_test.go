package cypher_test

import (
	"context"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"github.com/stepgraph/stepgraph/cypher"
	"github.com/stepgraph/stepgraph/engine/store"
)

// waiting creates a session that has labels and waits at steps.
func waiting(t *testing.T, opened *cypher.Store, workflow string, labels map[string]string, awaiting string) string {
	t.Helper()
	l := lease()
	id := unique("session")
	made, err := opened.Create(t.Context(), []store.NewSession{{
		ID: id, Workflow: workflow, State: []byte(`{}`), Counters: []byte(`{}`), Status: store.StatusActive, Claim: l, Labels: labels}})
	if err != nil || made[0].Err != nil {
		t.Fatal(err, made)
	}
	done, err := opened.Commit(t.Context(), []store.Checkpoint{{
		Session: id, Lease: l.Token, Transition: unique("transition"), Status: store.StatusAwaitingInput, Release: true,
		State: []byte(`{}`), Counters: []byte(`{}`), Awaiting: []byte(awaiting), AwaitingSince: time.Now()}})
	if err != nil || done[0].Outcome != store.Committed {
		t.Fatal(err, done)
	}
	return id
}

// TestFewAmongMany: lists and counts by labels and steps are the same whether the sessions are looked
// up one by one or met on the way through an index.
func TestFewAmongMany(t *testing.T) {
	opened := open(t)
	workflow, other, label := unique("workflow"), unique("workflow"), unique("label")
	ask, confirm := unique("ask"), unique("confirm")
	question := func(steps ...string) string {
		text := "["
		for i, step := range steps {
			if i > 0 {
				text += ","
			}
			text += `{"step":"` + step + `"}`
		}
		return text + "]"
	}
	odd := `say "x\y" AND (z) OR *`
	large := strings.Repeat("long", 20_000) // one word, which few analyzers take
	a := waiting(t, opened, workflow, map[string]string{label: "a", "size": "1", "large": large}, question(ask))
	b := waiting(t, opened, workflow, map[string]string{label: "b", "size": "1", "odd": odd}, question(ask, confirm))
	c := waiting(t, opened, other, map[string]string{label: "a"}, question(ask, ask))
	for name, at := range map[string]struct {
		query store.SessionQuery
		want  []string
		asks  map[string]int64
	}{
		"label":              {store.SessionQuery{Labels: map[string]string{label: "a"}}, []string{c, a}, map[string]int64{workflow + "/" + ask: 1, other + "/" + ask: 2}},
		"two labels":         {store.SessionQuery{Labels: map[string]string{label: "b", "size": "1"}}, []string{b}, map[string]int64{workflow + "/" + ask: 1, workflow + "/" + confirm: 1}},
		"none has both":      {store.SessionQuery{Labels: map[string]string{label: "a", "odd": odd}}, nil, nil},
		"large":              {store.SessionQuery{Labels: map[string]string{label: "a", "large": large}}, []string{a}, map[string]int64{workflow + "/" + ask: 1}},
		"odd text":           {store.SessionQuery{Workflow: workflow, Labels: map[string]string{"odd": odd}}, []string{b}, map[string]int64{workflow + "/" + ask: 1, workflow + "/" + confirm: 1}},
		"step":               {store.SessionQuery{Step: ask}, []string{c, b, a}, map[string]int64{workflow + "/" + ask: 2, workflow + "/" + confirm: 1, other + "/" + ask: 2}},
		"one of two steps":   {store.SessionQuery{Step: confirm}, []string{b}, map[string]int64{workflow + "/" + ask: 1, workflow + "/" + confirm: 1}},
		"step of a workflow": {store.SessionQuery{Step: ask, Workflow: other}, []string{c}, map[string]int64{other + "/" + ask: 2}},
		"step and label":     {store.SessionQuery{Step: ask, Labels: map[string]string{label: "b"}}, []string{b}, map[string]int64{workflow + "/" + ask: 1, workflow + "/" + confirm: 1}},
		"second page":        {store.SessionQuery{Step: ask, Limit: 1, After: record(t, opened, c).Cursor(false)}, []string{b}, nil},
	} {
		for _, few := range []int{0, 2000} {
			opened.LookOneByOne(few)
			list, err := opened.ListSessions(t.Context(), at.query)
			if got := idsOf(list); err != nil || !slices.Equal(got, at.want) {
				t.Errorf("%s, few %d: got %v, %v; want %v", name, few, got, err, at.want)
			}
			if at.query.Limit > 0 {
				continue
			}
			oldest := at.query
			oldest.OldestWaiting = true
			list, err = opened.ListSessions(t.Context(), oldest)
			got := idsOf(list)
			slices.Reverse(got)
			if err != nil || !slices.Equal(got, at.want) {
				t.Errorf("%s, few %d, oldest question first: got %v reversed, %v; want %v", name, few, got, err, at.want)
			}
			counts, err := opened.CountSessions(t.Context(), at.query, "status")
			if err != nil || counts[store.StatusAwaitingInput] != int64(len(at.want)) {
				t.Errorf("%s, few %d: counted %v, %v; want %d", name, few, counts, err, len(at.want))
			}
			if asks, err := opened.CountSessions(t.Context(), at.query, "step"); err != nil || !maps.Equal(asks, at.asks) {
				t.Errorf("%s, few %d: questions %v, %v; want %v", name, few, asks, err, at.asks)
			}
		}
	}
}

func record(t *testing.T, opened *cypher.Store, id string) *store.SessionRecord {
	t.Helper()
	r, err := opened.Session(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func idsOf(list []store.SessionRecord) []string {
	var ids []string
	for i := range list {
		ids = append(ids, list[i].ID)
	}
	return ids
}

// A session that an older version has paused gets by the migration what lists by step look for.
func TestMigrationOfWaitingSessions(t *testing.T) {
	opened, p := open(t), newPerson(t)
	ask, confirm := unique("ask"), unique("confirm")
	one := waiting(t, opened, unique("workflow"), nil, `[{"step":"`+ask+`"}]`)
	two := waiting(t, opened, unique("workflow"), nil, `[{"step":"`+ask+`"},{"step":"`+confirm+`"}]`)
	p.types("MATCH (s:SESSION) WHERE s.id IN $ids SET s.awaiting_step = null", map[string]any{"ids": []string{one, two}})
	alone := p.driver.NewSession(t.Context(), neo4j.SessionConfig{}) // a statement that commits in parts cannot be in a transaction
	defer func() { _ = alone.Close(context.Background()) }()
	for _, text := range cypher.MigrationStatements("011_few") {
		result, err := alone.Run(t.Context(), text, nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := result.Consume(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	for step, want := range map[string][]string{ask: {two, one}, confirm: {two}} {
		list, err := opened.ListSessions(t.Context(), store.SessionQuery{Step: step})
		if got := idsOf(list); err != nil || !slices.Equal(got, want) {
			t.Errorf("at step %s: got %v, %v; want %v", step, got, err, want)
		}
	}
}
