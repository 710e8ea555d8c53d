package cypher_test

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stepgraph/stepgraph/cypher"
	"github.com/stepgraph/stepgraph/cypher/neo4jtest"
	"github.com/stepgraph/stepgraph/engine/store"
)

// onCluster opens a store on a cluster whose leader is member 0. It waits for followers however
// slow the machine is.
func onCluster(t *testing.T, c *neo4jtest.Cluster) *cypher.Store {
	t.Helper()
	server := neo4jtest.URI(t)
	s := openAt(t, cypher.Options{URI: c.URI(), Username: server.Username, Password: server.Password, Database: server.Database})
	s.WaitForFollowers(time.Minute)
	return s
}

func newCluster(t *testing.T, members int) *neo4jtest.Cluster {
	t.Helper()
	return neo4jtest.NewCluster(t, neo4jtest.URI(t).URI, members)
}

// begun names the queries that a member was asked for, those that write with a "!".
func begun(m *neo4jtest.Member, queries ...string) (list []string) {
	for _, c := range m.Calls() {
		for _, q := range queries {
			if strings.Contains(c.Text, q) {
				if c.Write {
					q += "!"
				}
				list = append(list, q)
			}
		}
	}
	return list
}

// number reads the transaction out of a bookmark: a list of the database's id and the number,
// packed and in base64.
func number(t *testing.T, bookmark string) int64 {
	t.Helper()
	b, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(bookmark, "FB:"))
	const head = 1 + 2 + 16 // a list; 16 bytes
	if err != nil || len(b) <= head {
		t.Fatalf("bookmark %q: %x, %v", bookmark, b, err)
	}
	switch b = b[head:]; {
	case b[0] < 0x80:
		return int64(b[0])
	case b[0] == 0xC9:
		return int64(binary.BigEndian.Uint16(b[1:]))
	case b[0] == 0xCA:
		return int64(binary.BigEndian.Uint32(b[1:]))
	}
	t.Fatalf("bookmark %q has no number: %x", bookmark, b)
	return 0
}

// newest is the newest transaction that calls wait for.
func newest(t *testing.T, calls []neo4jtest.Call) (n int64) {
	for _, c := range calls {
		for _, b := range c.Bookmarks {
			n = max(n, number(t, b))
		}
	}
	return n
}

// What is shown is read at a follower, everything else at the leader.
func TestFollowersAnswerWhatIsShown(t *testing.T) {
	c := newCluster(t, 2)
	s := onCluster(t, c)
	leader, follower := c.Members[0], c.Members[1]
	w := unique("workflow")
	record, _ := session(t, s, w)
	if calls := follower.Calls(); slices.ContainsFunc(calls, func(c neo4jtest.Call) bool { return c.Write }) {
		t.Errorf("the follower was asked to write: %+v", calls)
	}
	leader.Calls()
	reads := func(ctx context.Context) {
		t.Helper()
		list, err := s.ListSessions(ctx, store.SessionQuery{Workflow: w})
		if err != nil || len(list) != 1 || list[0].ID != record.ID {
			t.Fatalf("sessions %+v, %v", list, err)
		}
		counts, err := s.CountSessions(ctx, store.SessionQuery{Workflow: w}, "status")
		if err != nil || counts[store.StatusActive] != 1 {
			t.Fatalf("counts %v, %v", counts, err)
		}
		for _, err := range []error{
			second(s.Executions(ctx, record.ID, store.HistoryQuery{})), second(s.Messages(ctx, record.ID, store.HistoryQuery{})),
			second(s.AuditEntries(ctx, store.AuditQuery{Session: record.ID})), second(s.Session(ctx, record.ID)),
			second(s.Workflows(ctx, []string{w}, nil)),
		} {
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	queries := []string{"sessions_of_workflow", "count_workflow", "executions_forward", "messages_forward", "audit_of_session", "sessions\x8a", "definition"}
	reads(t.Context())
	if list := begun(follower); len(list) > 0 {
		t.Errorf("the engine's own reads went to the follower: %v", list)
	}
	if list := begun(leader, queries...); len(list) < 6 {
		t.Errorf("the leader answered %v", list)
	}
	reads(store.Shown(t.Context()))
	if list := begun(follower, queries...); !slices.Equal(list, queries[:5]) {
		t.Errorf("the follower answered %v, want %v", list, queries[:5])
	}
	if list := begun(leader, queries[:5]...); len(list) > 0 {
		t.Errorf("the leader answered %v", list)
	}
}

func second[T any](_ T, err error) error { return err }

// A follower waits for what any engine has written before the read began.
func TestFollowersWaitForWhatIsWritten(t *testing.T) {
	c := newCluster(t, 2)
	one, other := onCluster(t, c), onCluster(t, c)
	leader, follower := c.Members[0], c.Members[1]
	w := unique("workflow")
	for n := range 3 {
		session(t, one, w)
		leader.Calls()
		if err := one.Ping(t.Context()); err != nil {
			t.Fatal(err)
		}
		wrote := newest(t, leader.Calls())
		if wrote == 0 {
			t.Fatal("an engine's own reads do not wait for what it has written")
		}
		follower.Calls()
		list, err := other.ListSessions(store.Shown(t.Context()), store.SessionQuery{Workflow: w})
		if err != nil || len(list) != n+1 {
			t.Fatalf("%d sessions, %v", len(list), err)
		}
		if read := newest(t, follower.Calls()); read < wrote {
			t.Errorf("the follower was to have transaction %d, and %d was written before", read, wrote)
		}
	}
}

// Where a follower is cut off the leader answers, and it is not tried with each read.
func TestAFollowerIsCut(t *testing.T) {
	c := newCluster(t, 2)
	s := onCluster(t, c)
	w := unique("workflow")
	session(t, s, w)
	show := func() {
		t.Helper()
		list, err := s.ListSessions(store.Shown(t.Context()), store.SessionQuery{Workflow: w})
		if err != nil || len(list) != 1 {
			t.Fatalf("%d sessions, %v", len(list), err)
		}
	}
	show()
	wantCluster(t, s, "ok", c.Members[0].Address()+" takes writes, lists are read from followers such as "+c.Members[1].Address())
	c.Members[1].Cut()
	s.WaitForFollowers(time.Second)
	for range 5 {
		show()
	}
	if list := begun(c.Members[0], "sessions_of_workflow"); len(list) != 5 {
		t.Errorf("the leader answered %v, want all 5 lists", list)
	}
	wantCluster(t, s, "warning", c.Members[0].Address()+" takes writes, and no follower answers")
}

// wantCluster checks what doctor says of the cluster.
func wantCluster(t *testing.T, s *cypher.Store, level, text string) {
	t.Helper()
	found, err := s.Check(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(found, func(f store.Finding) bool {
		return f.Code == "cluster" && f.Level == level && strings.HasPrefix(f.Message, text)
	}) {
		t.Errorf("doctor says %+v, want %s: %s", found, level, text)
	}
}

// A server that is alone answers its lists itself, without a round trip more for each.
func TestAClusterOfOne(t *testing.T) {
	c := newCluster(t, 1)
	s := onCluster(t, c)
	w := unique("workflow")
	session(t, s, w)
	c.Members[0].Calls()
	for range 3 {
		list, err := s.ListSessions(store.Shown(t.Context()), store.SessionQuery{Workflow: w})
		if err != nil || len(list) != 1 {
			t.Fatalf("%d sessions, %v", len(list), err)
		}
	}
	if list, want := begun(c.Members[0], "ping", "sessions_of_workflow"), []string{"ping!", "sessions_of_workflow", "sessions_of_workflow!", "sessions_of_workflow!"}; !slices.Equal(list, want) {
		t.Errorf("calls %v, want %v", list, want)
	}
}

// A cluster without a leader is named, and works again when it has one.
func TestNoLeader(t *testing.T) {
	c := newCluster(t, 2)
	s := onCluster(t, c)
	if err := s.Ping(t.Context()); err != nil {
		t.Fatal(err)
	}
	c.Lead(-1)
	record, l := unique("session"), lease()
	create := func(ctx context.Context) error {
		made, err := s.Create(ctx, []store.NewSession{{ID: record, Workflow: "w", Claim: l}})
		if err == nil {
			err = made[0].Err
		}
		return err
	}
	short, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	if err := create(short); err == nil {
		t.Error("a follower has written")
	}
	ctx, cancel := context.WithTimeout(t.Context(), 6*time.Second)
	defer cancel()
	if err := s.Ping(ctx); !errors.Is(err, store.ErrNoLeader) || !errors.Is(err, store.ErrUnavailable) {
		t.Errorf("ping: %v, want one that says that there is no leader", err)
	}
	c.Lead(1)
	if err := s.Ping(t.Context()); err != nil {
		t.Error(err)
	}
	if err := create(t.Context()); err != nil {
		t.Error(err)
	}
}

// A database that takes no writes is named, also by a ping, until a write succeeds.
func TestADatabaseIsReadOnly(t *testing.T) {
	c := newCluster(t, 1)
	s := onCluster(t, c)
	write := func() error {
		_, err := s.Extend(t.Context(), []store.LeaseRef{{Session: "none", Token: "none"}}, time.Second)
		return err
	}
	c.Members[0].Refuse("Neo.ClientError.General.WriteOnReadOnlyAccessDatabase")
	if err := s.Ping(t.Context()); err != nil {
		t.Errorf("before a write: %v", err)
	}
	for _, err := range []error{write(), s.Ping(t.Context())} {
		if !errors.Is(err, store.ErrReadOnly) || !errors.Is(err, store.ErrUnavailable) {
			t.Errorf("%v, want %v", err, store.ErrReadOnly)
		}
	}
	c.Members[0].Refuse("")
	if err := errors.Join(write(), s.Ping(t.Context())); err != nil {
		t.Error(err)
	}
}

// The leader changes all the time while checkpoints are written: what was acknowledged is there,
// once, and what was not can be sent again.
func TestTheLeaderChanges(t *testing.T) {
	c := newCluster(t, 3)
	s := onCluster(t, c)
	const sessions, each = 8, 12
	var refused, committed atomic.Int64
	done := make(chan struct{})
	var all, changes sync.WaitGroup
	for range sessions {
		record, l := session(t, s, unique("workflow"))
		all.Go(func() {
			for v := range each {
				checkpoint := firstCheckpoint(record.ID, l)
				checkpoint.Version = int64(v)
				checkpoint.Records.Executions[0].Seq = int64(v + 1)
				checkpoint.Records.Messages[0].N = int64(v + 1)
				for {
					results, err := s.Commit(t.Context(), []store.Checkpoint{checkpoint})
					if err == nil && (results[0].Outcome == store.Committed || results[0].Outcome == store.Again) {
						committed.Add(1)
						break
					}
					if err == nil || !errors.Is(err, store.ErrUnavailable) && !errors.Is(err, store.ErrUnknownOutcome) {
						t.Errorf("%s: version %d: %+v, %v", record.ID, v, results, err)
						return
					}
					refused.Add(1)
				}
			}
			if executions, err := s.Executions(t.Context(), record.ID, store.HistoryQuery{}); err != nil || len(executions) != each {
				t.Errorf("%s: %d executions, %v; want %d", record.ID, len(executions), err, each)
			}
		})
	}
	changes.Go(func() { // each time some writes of the new leader have come through
		for n := 1; ; n++ {
			c.Lead(n % 3)
			for before := committed.Load(); committed.Load() < before+4; {
				select {
				case <-done:
					return
				case <-time.After(time.Millisecond):
				}
			}
		}
	})
	all.Wait()
	close(done)
	changes.Wait()
	turnedAway := 0
	for _, m := range c.Members {
		for _, call := range m.Calls() {
			if call.Refused {
				turnedAway++
			}
		}
	}
	if turnedAway == 0 {
		t.Error("no call ever came to a follower, so nothing was tried")
	}
	t.Logf("%d calls were refused by followers, %d commits had to be made again by their caller", turnedAway, refused.Load())
}
