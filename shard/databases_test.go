package shard_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stepgraph/stepgraph/engine/graph"
	"github.com/stepgraph/stepgraph/engine/store"
	"github.com/stepgraph/stepgraph/engine/storetest/faults"
	"github.com/stepgraph/stepgraph/memory"
	"github.com/stepgraph/stepgraph/shard"
)

// A pair is a Store of two databases in memory, the second of which can be cut off.
type pair struct {
	*testing.T
	*shard.Store
	main, eu *memory.Store
	gone     atomic.Bool // eu does not answer
	silent   atomic.Bool // eu does not even refuse, until it is no longer gone
}

func newPair(t *testing.T, rules ...string) *pair {
	p := &pair{T: t, main: memory.New(memory.Options{}), eu: memory.New(memory.Options{})}
	cut := faults.Wrap(p.eu, faults.Plan{
		Before: func(faults.Call) {
			for p.silent.Load() {
				time.Sleep(time.Millisecond)
			}
		},
		Pick: func(faults.Call) (faults.Fault, bool) { return faults.NotDone, p.gone.Load() },
	})
	p.Store = opened(t, rules, given(p.main), given(cut))
	return p
}

func (p *pair) noError(err error) {
	p.Helper()
	if err != nil {
		p.Fatal(err)
	}
}

// start creates a session of a workflow.
func (p *pair) start(id, workflow string) store.Created {
	p.Helper()
	made, err := p.Create(p.Context(), []store.NewSession{{ID: id, Workflow: workflow, Status: store.StatusActive, State: []byte(`{}`)}})
	p.noError(err)
	return made[0]
}

// namesEU wants an error of the database eu that may pass.
func (p *pair) namesEU(what string, err error) {
	p.Helper()
	if !errors.Is(err, store.ErrUnavailable) || !strings.Contains(err.Error(), "database eu: ") {
		p.Errorf("%s: %v, want that database eu is unavailable", what, err)
	}
}

// has wants a session to be in one database and not in the other.
func (p *pair) has(in, notIn store.Store, id string) {
	p.Helper()
	if _, err := in.Session(p.Context(), id); err != nil {
		p.Errorf("session %s: %v", id, err)
	}
	if _, err := notIn.Session(p.Context(), id); !errors.Is(err, store.ErrSessionNotFound) {
		p.Errorf("session %s is in the other database, too: %v", id, err)
	}
}

func (p *pair) ids(q store.SessionQuery) string {
	p.Helper()
	rows, err := p.ListSessions(p.Context(), q)
	p.noError(err)
	ids := make([]string, len(rows))
	for i := range rows {
		ids[i] = rows[i].ID
	}
	return strings.Join(ids, " ")
}

func options(limit int) store.ClaimOptions {
	var n atomic.Int64
	return store.ClaimOptions{Owner: "test", For: time.Minute, Limit: limit, Token: func() string { return fmt.Sprint("token ", n.Add(1)) }}
}

func TestSessionsLiveInTheHomeOfTheirWorkflow(t *testing.T) {
	p := newPair(t, "eu-*", "billing")
	p.start("a", "chat")
	p.start("b", "eu-chat")
	p.start("c", "billing")
	p.start("d", "billing-2")
	p.has(p.main, p.eu, "a")
	p.has(p.eu, p.main, "b")
	p.has(p.eu, p.main, "c")
	p.has(p.main, p.eu, "d")
	made, err := p.Create(t.Context(), []store.NewSession{{ID: "b/x/1/0", Workflow: "chat", Root: "b", Parent: "b"}})
	p.noError(errors.Join(err, made[0].Err))
	p.has(p.eu, p.main, "b/x/1/0")
}

func TestTheNearestRuleCounts(t *testing.T) {
	eu := memory.New(memory.Options{})
	p := newPair(t, "eu-*", "eu-x", "eu-main-2*")
	s, err := shard.Open(t.Context(), shard.Options{Default: "main", Databases: []shard.Database{
		{Name: "eu", Workflows: []string{"eu-*", "eu-main-but"}, Open: given(eu)}, {Name: "main", Workflows: []string{"eu-main-*", "eu-x"}, Open: given(p.main)}}})
	p.noError(err)
	defer s.Close()
	for workflow, want := range map[string]string{"eu-": "eu", "eu-a": "eu", "eu-x": "main", "eu-xy": "eu", "eu-main-a": "main", "eu-main-but": "eu", "e": "main", "": "main"} {
		if got := s.DatabaseOfWorkflow(workflow); got != want {
			t.Errorf("workflow %q has its home in %s, want %s", workflow, got, want)
		}
	}
}

func TestRefusedConfigurations(t *testing.T) {
	one := given(memory.New(memory.Options{}))
	for want, o := range map[string]shard.Options{
		"no database":           {},
		`no database "x"`:       {Default: "x", Databases: []shard.Database{{Name: "a", Open: one}}},
		`are called "a"`:        {Default: "a", Databases: []shard.Database{{Name: "a", Open: one}, {Name: "a", Open: one}}},
		`workflow "w*" has two`: {Default: "a", Databases: []shard.Database{{Name: "a", Open: one, Workflows: []string{"w*"}}, {Name: "b", Open: one, Workflows: []string{"w*"}}}},
	} {
		if _, err := shard.Open(t.Context(), o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// Pages of two databases are one list: each row once, in order, whatever the size of the page.
func TestListsAreMerged(t *testing.T) {
	p := newPair(t, "eu")
	var want []string
	for i := range 11 {
		id := fmt.Sprintf("s%02d", i)
		p.start(id, []string{"main", "eu", "eu"}[i%3])
		want = append([]string{id}, want...)
		time.Sleep(time.Millisecond) // another created_at
	}
	for size := 1; size <= 12; size++ {
		var got []string
		for q := (store.SessionQuery{Limit: size}); ; {
			rows, err := p.ListSessions(t.Context(), q)
			p.noError(err)
			if len(rows) == 0 {
				break
			}
			for i := range rows {
				got = append(got, rows[i].ID)
			}
			q.After = rows[len(rows)-1].Cursor(false)
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("pages of %d: %v, want %v", size, got, want)
		}
	}
	counts, err := p.CountSessions(t.Context(), store.SessionQuery{}, "workflow,status")
	p.noError(err)
	if counts["main,active"] != 4 || counts["eu,active"] != 7 {
		t.Errorf("counts %v", counts)
	}
	if got := p.ids(store.SessionQuery{IDs: []string{"s00", "s01", "none"}}); got != "s01 s00" {
		t.Errorf("by id: %s", got)
	}
}

func TestAnIDIsTakenInAllDatabases(t *testing.T) {
	p := newPair(t, "eu")
	p.start("a", "eu")
	if made := p.start("a", "chat"); !errors.Is(made.Err, store.ErrSessionExists) {
		t.Errorf("a second session of the id in another database: %v", made.Err)
	}
	results := make(chan error, 8)
	for i := range 8 {
		go func() {
			made, err := p.Create(t.Context(), []store.NewSession{{ID: "b", Workflow: []string{"eu", "chat"}[i%2]}})
			if err == nil {
				err = made[0].Err
			}
			results <- err
		}()
	}
	won := 0
	for range 8 {
		if err := <-results; err == nil {
			won++
		} else if !errors.Is(err, store.ErrSessionExists) {
			t.Error(err)
		}
	}
	if won != 1 {
		t.Errorf("%d sessions of one id were created at once", won)
	}
}

// What concerns the other database goes on; what concerns the one that is gone names it.
func TestADatabaseIsGone(t *testing.T) {
	p := newPair(t, "eu")
	p.start("here", "chat")
	p.start("there", "eu")
	p.gone.Store(true)
	if made := p.start("new", "chat"); made.Err != nil {
		t.Errorf("start in the other database: %v", made.Err)
	}
	_, err := p.Create(t.Context(), []store.NewSession{{ID: "no", Workflow: "eu"}})
	p.namesEU("start", err)
	_, err = p.Session(t.Context(), "there")
	p.namesEU("read", err)
	_, err = p.Session(t.Context(), "of nobody")
	p.namesEU("read of what may be there", err)
	_, err = p.ListSessions(t.Context(), store.SessionQuery{})
	p.namesEU("list", err)
	_, err = p.CountSessions(t.Context(), store.SessionQuery{}, "status")
	p.namesEU("count", err)
	if got := p.ids(store.SessionQuery{IDs: []string{"here"}}); got != "here" {
		t.Errorf("list by id: %s", got)
	}
	delivered, err := p.Deliver(t.Context(), []store.Delivery{p.signal("here"), p.signal("there")})
	p.noError(err)
	p.noError(delivered[0].Err)
	p.namesEU("delivery", delivered[1].Err)
	claimed, err := p.Claim(t.Context(), options(10))
	p.noError(err)
	if len(claimed) != 2 {
		t.Errorf("claimed %d sessions of the other database, want 2", len(claimed))
	}
	p.noError(p.Ping(t.Context()))
	for _, d := range p.Databases(t.Context()) {
		if (d.Err != nil) != (d.Name == "eu") {
			t.Errorf("database %s: %v", d.Name, d.Err)
		}
	}
	p.noError(p.RecordAudit(t.Context(), []store.AuditEntry{{ID: "1", At: time.Now(), Session: "there", Workflow: "eu"}}))

	p.gone.Store(false)
	p.eventually("the session of the database that is back is claimed", func() bool {
		claimed, err := p.Claim(t.Context(), options(10))
		return err == nil && len(claimed) == 1 && claimed[0].Session.ID == "there"
	})
	entries, err := p.AuditEntries(t.Context(), store.AuditQuery{})
	p.noError(err)
	if len(entries) != 1 {
		t.Errorf("%d audit entries, want 1", len(entries))
	}
}

func (p *pair) signal(id string) store.Delivery {
	return store.Delivery{Session: id, Key: "k", Decide: func(store.InboxView) (*store.Request, error) {
		return &store.Request{Kind: store.RequestSignal, Body: []byte(`{}`)}, nil
	}}
}

func (p *pair) eventually(what string, done func() bool) {
	p.Helper()
	for end := time.Now().Add(30 * time.Second); !done(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			p.Fatalf("waited in vain until %s", what)
		}
	}
}

// A database that says nothing delays the others for a moment, and what it has claimed meanwhile is
// not lost.
func TestADatabaseIsSilent(t *testing.T) {
	p := newPair(t, "eu")
	p.start("here", "chat")
	p.start("there", "eu")
	p.silent.Store(true)
	defer p.silent.Store(false)
	claimed, err := p.Claim(t.Context(), options(10))
	p.noError(err)
	if len(claimed) != 1 || claimed[0].Session.ID != "here" {
		t.Fatalf("claimed %+v", claimed)
	}
	again, err := p.Claim(t.Context(), options(10))
	p.noError(err)
	if len(again) != 0 {
		t.Fatalf("claimed again: %+v", again)
	}
	p.silent.Store(false)
	p.eventually("the search that was not waited for is returned", func() bool {
		claimed, err := p.Claim(t.Context(), options(10))
		return err == nil && len(claimed) == 1 && claimed[0].Session.ID == "there" && claimed[0].Session.Claims == 1
	})
}

func TestClaimsAreFair(t *testing.T) {
	p := newPair(t, "eu")
	for i := range 20 {
		p.start(fmt.Sprint("main", i), "chat")
		if i < 4 {
			p.start(fmt.Sprint("eu", i), "eu")
		}
	}
	claimed, err := p.Claim(t.Context(), options(6))
	p.noError(err)
	of := map[string]int{}
	for i := range claimed {
		of[claimed[i].Session.Workflow]++
	}
	if of["chat"] != 3 || of["eu"] != 3 {
		t.Errorf("claimed %v, want three of each", of)
	}
	if claimed, err = p.Claim(t.Context(), options(10)); err != nil || len(claimed) != 10 {
		t.Errorf("claimed %d (%v), want 10: what one database does not use goes to the other", len(claimed), err)
	}
}

// The rules change: sessions stay where they are, new ones start in the new home.
func TestAWorkflowMoves(t *testing.T) {
	main, eu := memory.New(memory.Options{}), memory.New(memory.Options{})
	before := &pair{T: t, main: main, eu: eu, Store: opened(t, nil, given(main), given(eu))}
	before.start("old", "chat")
	after := &pair{T: t, main: main, eu: eu, Store: opened(t, []string{"chat"}, given(main), given(eu))}
	after.start("new", "chat")
	after.has(main, eu, "old")
	after.has(eu, main, "new")
	if got := after.ids(store.SessionQuery{Workflow: "chat"}); got != "new old" {
		t.Errorf("list %q", got)
	}
	delivered, err := after.Deliver(t.Context(), []store.Delivery{after.signal("old")})
	after.noError(errors.Join(err, delivered[0].Err))
	claimed, err := after.Claim(t.Context(), options(5))
	after.noError(err)
	if len(claimed) != 2 {
		t.Errorf("claimed %d, want both", len(claimed))
	}
}

// An executed step's text is where the session is, whatever the home of its workflow.
func TestDefinitionsFollowSessions(t *testing.T) {
	p := newPair(t, "eu")
	p.noError(p.SaveDefinitions(t.Context(), []graph.StoredDefinition{{Hash: "h", Workflow: "chat", Step: "a", Text: `{}`}}))
	made, err := p.Create(t.Context(), []store.NewSession{{ID: "s", Workflow: "eu", Claim: &store.Lease{Token: "t", Owner: "o", For: time.Minute}}})
	p.noError(errors.Join(err, made[0].Err))
	results, err := p.Commit(t.Context(), []store.Checkpoint{{Session: "s", Lease: "t", Transition: "x", Status: store.StatusComplete, Release: true,
		Records: store.Records{Executions: []store.Execution{{ID: "s/1", Session: "s", Seq: 1, Workflow: "chat", Step: "a", Visit: 1, Attempt: 1, Status: store.StatusComplete, Definition: "h"}}}}})
	p.noError(err)
	if results[0].Outcome != store.Committed {
		t.Fatalf("outcome %v", results[0].Outcome)
	}
	if found, err := p.eu.Definitions(t.Context(), []string{"h"}); err != nil || len(found) != 1 {
		t.Errorf("definitions in the session's database: %v, %v", found, err)
	}
}

// A database that does not answer at the start is opened and migrated when it does.
func TestADatabaseOpensLater(t *testing.T) {
	var up atomic.Bool
	eu := memory.New(memory.Options{})
	later := func(context.Context) (store.Store, error) {
		if !up.Load() {
			return nil, fmt.Errorf("%w: not yet", store.ErrUnavailable)
		}
		return eu, nil
	}
	p := &pair{T: t, Store: opened(t, []string{"eu"}, given(memory.New(memory.Options{})), later)}
	p.start("a", "chat")
	_, err := p.Create(t.Context(), []store.NewSession{{ID: "b", Workflow: "eu"}})
	p.namesEU("start", err)
	up.Store(true)
	p.eventually("it is open", func() bool {
		made, err := p.Create(t.Context(), []store.NewSession{{ID: "b", Workflow: "eu"}})
		return err == nil && made[0].Err == nil
	})
	_, err = shard.Open(t.Context(), shard.Options{Default: "main", RequireAll: true, Databases: []shard.Database{
		{Name: "main", Open: given(eu)}, {Name: "eu", Open: func(context.Context) (store.Store, error) { return nil, store.ErrUnavailable }}}})
	p.namesEU("a store that needs all", err)
}

// Doctor says which workflows are not where they should be.
func TestCheckFindsMisplacedWorkflows(t *testing.T) {
	p := newPair(t, "eu")
	_, err := p.main.EditWorkflow(t.Context(), store.Edit{Workflow: "eu", PutSteps: []graph.Step{{ID: "root"}}})
	p.noError(err)
	if list, err := p.WorkflowIDs(t.Context()); err != nil || len(list) != 0 {
		t.Errorf("workflows %v, %v", list, err)
	}
	p.gone.Store(true)
	found, err := p.Check(t.Context())
	p.noError(err)
	text := fmt.Sprintf("%+v", found)
	for _, want := range []string{"it has workflow eu, whose home is database eu", "database eu: store unavailable"} {
		if !strings.Contains(text, want) {
			t.Errorf("findings %s lack %q", text, want)
		}
	}
}

// A behind store lacks a migration.
type behind struct{ store.Store }

func (behind) Ping(context.Context) error {
	return &store.SchemaError{Has: store.Migration{Number: 2}, Needs: store.Migration{Number: 3, Name: "third"}}
}

// TestASchemaIsBehind: doctor names the database and what to do, before it reads tables that may be
// missing.
func TestASchemaIsBehind(t *testing.T) {
	s := opened(t, []string{"eu"}, given(memory.New(memory.Options{})), given(behind{memory.New(memory.Options{})}))
	found, err := s.Check(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want := store.Finding{Level: "error", Code: "migration", Message: "database eu: the database has migration 2, this version needs 3 (third)", Mend: "stepgraph migrate"}
	if !slices.Contains(found, want) {
		t.Errorf("findings %+v lack %+v", found, want)
	}
	for _, d := range s.Databases(t.Context()) {
		if (d.Err == nil) != (d.Name == "main") {
			t.Errorf("database %s: %v", d.Name, d.Err)
		}
	}
}
