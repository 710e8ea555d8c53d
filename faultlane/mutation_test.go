package faultlane

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/engine/store"
)

// TestOracle shows that the lane can fail: the same clients and the same oracle play on
// stores of which each breaks the promise in one way, and each has to be found out. On the
// store as it is there is nothing to find.
func TestOracle(t *testing.T) {
	t.Parallel()
	seed := firstSeed(t)
	for _, m := range mutants {
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			calm := 10 * insideLease
			if m.says == nil {
				calm = patience
			}
			found := playInside(t, seed, m.torments, calm, m.breaks, m.flows...)
			hit := slices.ContainsFunc(found, func(v string) bool {
				return slices.ContainsFunc(m.says, func(word string) bool { return strings.Contains(v, word) })
			})
			switch {
			case m.says == nil && len(found) > 0:
				t.Errorf("seed %d: the whole store is accused:\n%s", seed, strings.Join(found, "\n"))
			case m.says != nil && !hit:
				t.Errorf("seed %d: want a violation with one of %q, got:\n%s", seed, m.says, strings.Join(found, "\n"))
			}
		})
	}
}

// A mutant is a store with one fault, and what the oracle must say of it.
type mutant struct {
	name     string
	breaks   func(engine.Store) engine.Store
	says     []string
	torments int // how often engines are killed or frozen meanwhile, at most
	flows    []*flow
}

var mutants = []mutant{
	{"whole", func(s engine.Store) engine.Store { return s }, nil, 6, nil},
	{"no guard", func(s engine.Store) engine.Store { return &unguarded{Store: s} },
		[]string{"counters of", "is open again", "nothing has happened", "ended 2 times", "status "}, 12, nil},
	{"checkpoint twice", func(s engine.Store) engine.Store { return &mutated{Store: s, commit: twice} }, []string{"ended 2 times"}, 2, nil},
	{"answer lost", func(s engine.Store) engine.Store { return &forgetful{Store: s} }, []string{"is open again after", "and is gone", "was acknowledged with"}, 8, nil},
	{"start lost", func(s engine.Store) engine.Store { return &mutated{Store: s, create: unwrittenStart} }, []string{"status 404", "it was acknowledged; reading it", "and then"}, 8, nil},
	{"start doubled", func(s engine.Store) engine.Store { return &mutated{Store: s, create: keyless} }, []string{"no client was told", "and then"}, 8, nil},
	{"request not marked", func(s engine.Store) engine.Store { return &mutated{Store: s, commit: unmarked} }, []string{"never applied"}, 3, nil},
	{"execution dropped", func(s engine.Store) engine.Store { return &mutated{Store: s, commit: gap} }, []string{"is numbered"}, 3, nil},
	{"message dropped", func(s engine.Store) engine.Store { return &mutated{Store: s, commit: silence} }, []string{"counters of", "is numbered"}, 2, nil},
	{"lease kept", func(s engine.Store) engine.Store { return &mutated{Store: s, commit: keptLease} }, []string{"still leased", "still due"}, 2, nil},
	{"invented result", func(s engine.Store) engine.Store { return &mutated{Store: s, commit: invented} }, []string{"none of its"}, 2, nil},
	{"wrong lineage", func(s engine.Store) engine.Store { return &mutated{Store: s, commit: astray} }, []string{"was led to by"}, 2, nil},
	{"child's end lost", func(s engine.Store) engine.Store { return &mutated{Store: s, commit: untold} }, []string{"nothing has happened"}, 2, flowsOf("children")},
	{"signal twice", func(s engine.Store) engine.Store { return &doubledSignal{Store: s} }, []string{"of the inbox carries", "signals go, its client"}, 2, flowsOf("waits")},
	{"item twice", func(s engine.Store) engine.Store { return &doubledItem{Store: s} }, []string{"batches have touched it with"}, 2, flowsOf("batch")},
}

// mutated changes what is written on its way to the store.
type mutated struct {
	engine.Store
	commit func(m *mutated, ctx context.Context, cp store.Checkpoint) store.Checkpoint
	create func(m *mutated, n *store.NewSession) *store.Created

	mu sync.Mutex
	n  int
}

// every is true for each n-th time that it is asked.
func (m *mutated) every(n int) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.n++
	return m.n%n == 0
}

func (m *mutated) Commit(ctx context.Context, checkpoints []store.Checkpoint) ([]store.CommitResult, error) {
	if m.commit == nil {
		return m.Store.Commit(ctx, checkpoints)
	}
	changed := make([]store.Checkpoint, len(checkpoints))
	for i, cp := range checkpoints {
		changed[i] = m.commit(m, ctx, cp)
	}
	return m.Store.Commit(ctx, changed)
}

func (m *mutated) Create(ctx context.Context, sessions []store.NewSession) ([]store.Created, error) {
	if m.create == nil {
		return m.Store.Create(ctx, sessions)
	}
	results := make([]store.Created, len(sessions))
	for i, n := range sessions {
		if made := m.create(m, &n); made != nil {
			results[i] = *made
			continue
		}
		one, err := m.Store.Create(ctx, []store.NewSession{n})
		if err != nil {
			return nil, err
		}
		results[i] = one[0]
	}
	return results, nil
}

// twice writes the end of a session two times over.
func twice(m *mutated, ctx context.Context, cp store.Checkpoint) store.Checkpoint {
	if cp.Status != engine.StatusComplete || len(cp.Executions) == 0 {
		return cp
	}
	first := cp
	first.Release, first.Transition = false, cp.Transition+"-first"
	if results, err := m.Store.Commit(ctx, []store.Checkpoint{first}); err != nil || results[0].Outcome != store.Committed {
		return cp
	}
	cp.Version++
	cp.Messages, cp.Executions = nil, slices.Clone(cp.Executions)
	last := cp.Executions[len(cp.Executions)-1].Seq
	for i := range cp.Executions {
		cp.Executions[i].Seq += last
	}
	return cp
}

func unmarked(m *mutated, _ context.Context, cp store.Checkpoint) store.Checkpoint {
	if len(cp.Applied) > 0 && m.every(5) {
		cp.Applied = nil
	}
	return cp
}

func gap(m *mutated, _ context.Context, cp store.Checkpoint) store.Checkpoint {
	if len(cp.Executions) > 1 && m.every(5) {
		cp.Executions = cp.Executions[1:]
	}
	return cp
}

func silence(m *mutated, _ context.Context, cp store.Checkpoint) store.Checkpoint {
	if len(cp.Messages) > 0 && m.every(5) {
		cp.Messages = cp.Messages[:len(cp.Messages)-1]
	}
	return cp
}

func keptLease(_ *mutated, _ context.Context, cp store.Checkpoint) store.Checkpoint {
	if cp.Status == engine.StatusComplete {
		cp.Release = false
	}
	return cp
}

// invented makes the result of a call one that the call did not give.
func invented(m *mutated, _ context.Context, cp store.Checkpoint) store.Checkpoint {
	cp.State = bytes.ReplaceAll(bytes.Clone(cp.State), []byte("/charge/1/1#"), []byte("/charge/1/1#9"))
	cp.Executions = slices.Clone(cp.Executions)
	for i := range cp.Executions {
		x := &cp.Executions[i]
		x.Output = bytes.ReplaceAll(bytes.Clone(x.Output), []byte("/charge/1/1#"), []byte("/charge/1/1#9"))
	}
	return cp
}

// astray loses which path led to a step.
func astray(m *mutated, _ context.Context, cp store.Checkpoint) store.Checkpoint {
	cp.Executions = slices.Clone(cp.Executions)
	for i := range cp.Executions {
		if x := &cp.Executions[i]; len(x.Took) > 1 {
			x.Took = x.Took[1:]
		}
	}
	return cp
}

// unwrittenStart acknowledges a session that it does not keep.
func unwrittenStart(m *mutated, n *store.NewSession) *store.Created {
	if !m.every(7) {
		return nil
	}
	return &store.Created{Session: store.SessionRecord{ID: n.ID, Workflow: n.Workflow, State: n.State, Counters: n.Counters, Status: n.Status, Root: n.Root}}
}

// keyless forgets that a start came before.
func keyless(_ *mutated, n *store.NewSession) *store.Created {
	n.Key = ""
	return nil
}

// unguarded writes a state whoever sends it.
type unguarded struct{ engine.Store }

func (u *unguarded) Commit(ctx context.Context, checkpoints []store.Checkpoint) ([]store.CommitResult, error) {
	results, err := u.Store.Commit(ctx, checkpoints)
	if err != nil {
		return nil, err
	}
	for i, r := range results {
		if r.Outcome != store.Lost {
			continue
		}
		rec, err := u.Store.Session(ctx, checkpoints[i].Session)
		if err != nil {
			return nil, err
		}
		if rec.Lease == "" { // at rest: whoever writes need not ask
			claimed, err := u.Store.ClaimByID(ctx, []string{rec.ID}, store.ClaimOptions{For: insideLease, Token: func() string { return checkpoints[i].Lease }})
			if err != nil || len(claimed) == 0 {
				continue
			}
			rec = &claimed[0].Session
		}
		cp := checkpoints[i]
		cp.Version, cp.Lease, cp.Executions, cp.Messages = rec.Version, rec.Lease, nil, nil
		forced, err := u.Store.Commit(ctx, []store.Checkpoint{cp})
		if err != nil {
			return nil, err
		}
		results[i] = forced[0]
	}
	return results, nil
}

// forgetful acknowledges an answer now and then that it does not keep.
type forgetful struct {
	engine.Store

	mu sync.Mutex
	n  int
}

func (f *forgetful) Deliver(ctx context.Context, deliveries []store.Delivery) ([]store.Delivered, error) {
	dropped := make([]*engine.Request, len(deliveries))
	changed := slices.Clone(deliveries)
	for i, d := range deliveries {
		changed[i].Decide = func(v store.InboxView) (*engine.Request, error) {
			made, err := d.Decide(v)
			if made == nil || made.Kind != engine.RequestAnswer || !f.forgets() {
				return made, err
			}
			made.ID = d.Session + "/" + d.Key
			dropped[i] = made
			return nil, nil
		}
	}
	results, err := f.Store.Deliver(ctx, changed)
	for i := range results {
		if dropped[i] != nil {
			results[i].Request = dropped[i]
		}
	}
	return results, err
}

func (f *forgetful) Commit(ctx context.Context, checkpoints []store.Checkpoint) ([]store.CommitResult, error) {
	results := make([]store.CommitResult, len(checkpoints))
	var kept []store.Checkpoint
	var at []int
	for i, cp := range checkpoints {
		if cp.Received != nil && f.forgets() {
			results[i] = store.CommitResult{Outcome: store.Committed, Inbox: cp.Seen, Now: time.Now()}
			continue
		}
		kept, at = append(kept, cp), append(at, i)
	}
	written, err := f.Store.Commit(ctx, kept)
	for n, r := range written {
		results[at[n]] = r
	}
	return results, err
}

func (f *forgetful) forgets() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.n++
	return f.n%9 == 0
}

// untold lets a child end without its parent being notified.
func untold(m *mutated, _ context.Context, cp store.Checkpoint) store.Checkpoint {
	if cp.ToParent != nil && m.every(3) {
		cp.ToParent = nil
	}
	return cp
}

// doubledSignal takes each signal under a key of its own, so that the one that is sent again
// is taken again.
type doubledSignal struct {
	engine.Store
	n atomic.Int64
}

func (d *doubledSignal) Deliver(ctx context.Context, deliveries []store.Delivery) ([]store.Delivered, error) {
	changed := slices.Clone(deliveries)
	for i := range changed {
		if strings.HasPrefix(changed[i].Key, "go-") {
			changed[i].Key = fmt.Sprintf("%s-%d", changed[i].Key, d.n.Add(1))
		}
	}
	return d.Store.Deliver(ctx, changed)
}

// doubledItem resumes each session of a batch twice.
type doubledItem struct{ engine.Store }

func (d *doubledItem) Deliver(ctx context.Context, deliveries []store.Delivery) ([]store.Delivered, error) {
	results, err := d.Store.Deliver(ctx, deliveries)
	for i, r := range results {
		if err == nil && r.Request != nil && r.Request.Kind == engine.RequestResume {
			again := deliveries[i]
			again.Key += "again"
			if _, err := d.Store.Deliver(ctx, []store.Delivery{again}); err != nil {
				return nil, err
			}
		}
	}
	return results, err
}
