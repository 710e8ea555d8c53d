package cypher_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stepgraph/stepgraph/cypher"
	"github.com/stepgraph/stepgraph/cypher/neo4jserver"
	"github.com/stepgraph/stepgraph/cypher/neo4jtest"
	"github.com/stepgraph/stepgraph/engine/graph"
	"github.com/stepgraph/stepgraph/engine/store"
)

// A server of our own: what stands in the way of a constraint, engines that migrate at
// once, a crash under load and a restart.
func TestOwnServer(t *testing.T) {
	server := neo4jtest.Own(t, neo4jserver.Options{})
	options := cypher.Options{URI: server.URI, Username: server.Username, Password: server.Password, Database: server.Database}
	options.Migrate = new(false) // the cases do it
	opened, err := cypher.Open(t.Context(), options)
	if err != nil {
		t.Fatal(err)
	}
	driver, err := server.Driver()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = driver.Close(t.Context()), opened.Close() })
	p := &person{t, driver}
	t.Run("duplicates are named", func(t *testing.T) { duplicatesAreNamed(t, opened, p) })
	t.Run("engines migrate at once", func(t *testing.T) { migrateAtOnce(t, options) })
	t.Run("a schema one migration apart is named", func(t *testing.T) { schemaApart(t, opened, p) })
	t.Run("a crash loses nothing that was acknowledged", func(t *testing.T) { crash(t, opened, server) })
}

func duplicatesAreNamed(t *testing.T, opened *cypher.Store, p *person) {
	p.types(`CREATE (:SESSION {id: 'twice', n: 1}), (:SESSION {id: 'twice', n: 2}), (:SESSION {id: 'once'})`, nil)
	_, err := opened.Migrate(t.Context())
	if err == nil {
		t.Fatal("the migration passed over duplicates")
	}
	for _, part := range []string{"SESSION", `"twice" (2 nodes)`, "rename or delete"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("error %q does not say %q", err, part)
		}
	}
	if errors.Is(err, store.ErrUnavailable) {
		t.Errorf("error %q invites to try again", err)
	}
	p.types(`MATCH (s:SESSION {id: 'twice', n: 2}) DELETE s`, nil)
}

// schemaApart puts the database one migration behind and ahead of this version.
func schemaApart(t *testing.T, opened *cypher.Store, p *person) {
	newest := p.types(`MATCH (m:MIGRATION) RETURN max(m.version)`, nil)[0].Values[0].(int64)
	const forget = `MATCH (m:MIGRATION {version: 99}) DELETE m`
	for _, c := range []struct{ name, change, undo, want, level string }{
		{"ahead, compatible", fmt.Sprintf(`CREATE (:MIGRATION {version: 99, name: '099_later', checksum: 'x', oldest: %d})`, newest), forget, "", "warning"},
		{"ahead", `CREATE (:MIGRATION {version: 99, name: '099_later', checksum: 'x'})`, forget,
			fmt.Sprintf("the database has migration 99 (099_later) and is newer than this version, which knows migrations up to %d", newest), "error"},
		{"behind", fmt.Sprintf(`MATCH (m:MIGRATION {version: %d}) DELETE m`, newest), "",
			fmt.Sprintf("the database has migration %d, this version needs %d (", newest-1, newest), "error"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p.types(c.change, nil)
			ping := opened.Ping(t.Context())
			_, writes := opened.EditWorkflow(t.Context(), store.Edit{Workflow: "apart", PutSteps: []graph.Step{{ID: "root", Function: "reply"}}})
			for what, err := range map[string]error{"ping": ping, "write": writes} {
				if c.want == "" && err != nil || c.want != "" && (!errors.Is(err, store.ErrSchema) || !strings.Contains(err.Error(), c.want)) {
					t.Errorf("%s: %v, want %q", what, err, c.want)
				}
			}
			found, err := opened.Check(t.Context())
			if err != nil || !slices.ContainsFunc(found, func(f store.Finding) bool { return f.Code == "migration" && f.Level == c.level && f.Mend != "" }) {
				t.Errorf("doctor finds %+v, %v", found, err)
			}
			if _, err := opened.Migrate(t.Context()); (err != nil) != (c.name == "ahead") {
				t.Errorf("migrate: %v", err)
			}
			if c.undo != "" {
				p.types(c.undo, nil)
			}
			if err := opened.Ping(t.Context()); err != nil {
				t.Errorf("afterwards: %v", err)
			}
		})
	}
}

func migrateAtOnce(t *testing.T, options cypher.Options) {
	var group sync.WaitGroup
	var mu sync.Mutex
	applied := map[string]int{}
	for range 4 {
		group.Go(func() {
			opened, err := cypher.Open(t.Context(), options)
			if err != nil {
				t.Error(err)
				return
			}
			defer func() { _ = opened.Close() }()
			names, err := opened.Migrate(t.Context())
			if err != nil {
				t.Error(err)
			}
			mu.Lock()
			defer mu.Unlock()
			for _, name := range names {
				applied[name]++
			}
		})
	}
	group.Wait()
	for _, name := range []string{"001_unique", "002_indexes"} {
		if applied[name] != 1 {
			t.Errorf("%s was applied %d times, want once", name, applied[name])
		}
	}
}

// crash kills the server while checkpoints are written, restarts it, and looks for all
// that had been acknowledged.
func crash(t *testing.T, opened *cypher.Store, server *neo4jserver.Server) {
	const writers = 8
	acknowledged := make([]int64, writers)
	ids := make([]string, writers)
	enough := make(chan struct{})
	var once, group = sync.Once{}, sync.WaitGroup{}
	for w := range writers {
		record, l := session(t, opened, "crash")
		ids[w] = record.ID
		group.Go(func() {
			acknowledged[w] = writeUntilError(t, opened, record.ID, l, func(version int64) {
				if version == 30 {
					once.Do(func() { close(enough) })
				}
			})
		})
	}
	<-enough
	if err := server.Kill(); err != nil {
		t.Fatal(err)
	}
	group.Wait()
	if err := opened.Ping(t.Context()); !errors.Is(err, store.ErrUnavailable) {
		t.Errorf("ping of a dead server: %v, want one that is %q", err, store.ErrUnavailable)
	}
	if err := server.Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
	for w, id := range ids {
		wantAcknowledged(t, opened, id, acknowledged[w])
	}
}

// writeUntilError writes checkpoints and returns the version of the last one that was
// acknowledged.
func writeUntilError(t *testing.T, opened *cypher.Store, id string, l *store.Lease, wrote func(int64)) int64 {
	for version := int64(0); ; version++ {
		results, err := opened.Commit(t.Context(), []store.Checkpoint{{
			Session: id, Version: version, Lease: l.Token, LeaseFor: time.Minute, Transition: fmt.Sprintf("%s@%d", id, version),
			Status: store.StatusActive, State: []byte(fmt.Sprintf(`{"n":%d}`, version+1)),
			Records: store.Records{Executions: []store.Execution{{Seq: version + 1, Workflow: "crash", Step: "s", Visit: int(version + 1), Status: store.StatusComplete}}},
		}})
		if err != nil {
			if !errors.Is(err, store.ErrUnavailable) && !errors.Is(err, store.ErrUnknownOutcome) {
				t.Errorf("error of a dying server: %v", err)
			}
			return version
		}
		if results[0].Outcome != store.Committed && results[0].Outcome != store.Again {
			t.Errorf("checkpoint %d: outcome %v", version, results[0].Outcome)
			return version
		}
		wrote(version + 1)
	}
}

// wantAcknowledged checks that a session is at the acknowledged version, or one further
// where the last write had no answer, with an execution for each.
func wantAcknowledged(t *testing.T, opened *cypher.Store, id string, acknowledged int64) {
	t.Helper()
	record, err := opened.Session(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	if record.Version != acknowledged && record.Version != acknowledged+1 {
		t.Errorf("session %s has version %d, acknowledged was %d", id, record.Version, acknowledged)
	}
	if want := fmt.Sprintf(`{"n":%d}`, record.Version); string(record.State) != want {
		t.Errorf("session %s has state %s, want %s", id, record.State, want)
	}
	executions, err := opened.Executions(t.Context(), id, store.HistoryQuery{Limit: 100_000})
	if err != nil {
		t.Fatal(err)
	}
	if int64(len(executions)) != record.Version {
		t.Errorf("session %s has %d executions at version %d", id, len(executions), record.Version)
	}
}

// An address where nobody answers is named, with what to check.
func TestOpenExplains(t *testing.T) {
	_, err := cypher.Open(t.Context(), cypher.Options{URI: "bolt://user:secret@127.0.0.1:1/graph", OpenTimeout: 5 * time.Second})
	if !errors.Is(err, store.ErrUnavailable) {
		t.Fatalf("error %v, want one that is %q", err, store.ErrUnavailable)
	}
	for _, part := range []string{"bolt://127.0.0.1:1", "scheme", "port"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("error %q does not say %q", err, part)
		}
	}
	if strings.Contains(err.Error(), "secret") {
		t.Errorf("error %q shows the password", err)
	}
	for _, uri := range []string{"", "http://127.0.0.1:7474", "%"} {
		if _, err := cypher.Open(t.Context(), cypher.Options{URI: uri}); err == nil || errors.Is(err, store.ErrUnavailable) {
			t.Errorf("address %q: error %v, want one that is final", uri, err)
		}
	}
}
