package engine

import (
	"context"
	"reflect"
	"slices"
	"sync"
	"time"

	"github.com/stepgraph/stepgraph/engine/internal/retry"
	"github.com/stepgraph/stepgraph/engine/store"
)

// A definitionReader reads definitions for many sessions at once. Who asks gets a
// definition whose read began after the question, so an edit committed before is in it;
// all who ask while one read is under way share the next.
type definitionReader struct {
	store Store

	mu     sync.Mutex
	gather *definitionRead
	busy   bool
	// notBefore is when the next read begins at the earliest. Only who works writes it.
	notBefore time.Time
	known     map[string]*Definition // newest per workflow that exists
	saved     map[string]bool        // hashes of DEFINITIONs that are written
}

type definitionRead struct {
	ids     map[string]bool
	entries map[string][]string
	done    chan struct{}
	result  map[string]*Definition
	err     error
}

// readTimeout bounds one read of definitions.
const readTimeout = 30 * time.Second

// longestGathering bounds how long questions gather after a read, which is as long as the read
// took: while many sessions start, reads one after the other would take as much of the store
// as the sessions do.
const longestGathering = 20 * time.Millisecond

func newDefinitionReader(store Store) *definitionReader {
	return &definitionReader{store: store, known: map[string]*Definition{}, saved: map[string]bool{}}
}

// Read returns the definition of a workflow as it is now; a workflow that does not exist
// has a definition without steps. entry is a step to look for besides root.
func (d *definitionReader) Read(ctx context.Context, workflow, entry string) (*Definition, error) {
	return retry.Do(ctx, func() (*Definition, error) {
		r := d.join(workflow, entry)
		select {
		case <-r.done:
			return r.result[workflow], r.err
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	})
}

// Recent returns a definition not older than age, from memory where it can.
func (d *definitionReader) Recent(ctx context.Context, workflow string, age time.Duration) (*Definition, error) {
	d.mu.Lock()
	known := d.known[workflow]
	d.mu.Unlock()
	if known != nil && time.Since(known.ReadAt) < age {
		return known, nil
	}
	return d.Read(ctx, workflow, "")
}

func (d *definitionReader) join(workflow, entry string) *definitionRead {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.gather == nil {
		d.gather = &definitionRead{ids: map[string]bool{}, entries: map[string][]string{}, done: make(chan struct{})}
	}
	r := d.gather
	r.ids[workflow] = true
	if entry != "" && entry != DefaultEntry {
		r.entries[workflow] = append(r.entries[workflow], entry)
	}
	if !d.busy {
		d.busy = true
		go d.work()
	}
	return r
}

func (d *definitionReader) work() {
	for {
		r := d.next()
		if r == nil {
			return
		}
		ctx, cancel := context.WithTimeoutCause(context.Background(), readTimeout,
			store.Detailf(ErrUnavailable, "reading definitions took longer than %s", readTimeout))
		began := time.Now()
		r.result, r.err = d.fetch(ctx, r)
		if took := time.Since(began); took > time.Millisecond { // an embedded store is read in less than a pause would take
			d.notBefore = time.Now().Add(min(took, longestGathering))
		}
		cancel()
		close(r.done)
	}
}

// next takes what has been asked for once enough has gathered; nil when nothing has been
// asked for: then the work ends.
func (d *definitionReader) next() *definitionRead {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.gather == nil {
		d.busy = false
		return nil
	}
	if wait := time.Until(d.notBefore); wait > 0 {
		d.mu.Unlock()
		time.Sleep(wait)
		d.mu.Lock()
	}
	r := d.gather
	d.gather = nil
	return r
}

func (d *definitionReader) fetch(ctx context.Context, r *definitionRead) (map[string]*Definition, error) {
	ids := make([]string, 0, len(r.ids))
	for id := range r.ids {
		ids = append(ids, id)
	}
	began := time.Now()
	workflows, err := d.settled(ctx, ids, r.entries)
	if err != nil {
		return nil, err
	}
	result := make(map[string]*Definition, len(ids))
	for _, w := range workflows {
		result[w.ID] = d.compile(w, began)
	}
	for _, id := range ids {
		if result[id] == nil {
			result[id] = d.absent(id, began)
		}
	}
	return result, d.save(ctx, result)
}

// savedRoom is how many hashes of former texts are remembered at least.
const savedRoom = 1000

// settleReads bounds how often a workflow that changes is read again.
const settleReads = 10

// settled reads workflows until those that differ from what is known are read the same
// twice in a row. A database may show half of an edit while its commit is applied: a path
// that is gone and its successor not there yet would end a session early. It costs
// nothing while nobody edits.
func (d *definitionReader) settled(ctx context.Context, ids []string, entries map[string][]string) ([]*Workflow, error) {
	workflows, err := d.store.Workflows(ctx, ids, entries)
	if err != nil {
		return nil, err
	}
	fresh := d.unknown(ids, workflows)
	for range settleReads {
		if len(fresh) == 0 {
			break
		}
		again, err := d.store.Workflows(ctx, fresh, entries)
		if err != nil {
			return nil, err
		}
		var changed []string
		for _, id := range fresh {
			if !reflect.DeepEqual(byWorkflow(workflows, id), byWorkflow(again, id)) {
				changed = append(changed, id)
			}
		}
		workflows = replaceWorkflows(workflows, again, fresh)
		fresh = changed
	}
	return workflows, nil
}

// unknown are the ids that were read differently from what is known of them.
func (d *definitionReader) unknown(ids []string, read []*Workflow) []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	var out []string
	for _, id := range ids {
		known, now := d.known[id], byWorkflow(read, id)
		switch {
		case known == nil && now == nil:
		case known == nil || now == nil || !reflect.DeepEqual(known.Workflow, now):
			out = append(out, id)
		}
	}
	return out
}

func byWorkflow(list []*Workflow, id string) *Workflow {
	for _, w := range list {
		if w.ID == id {
			return w
		}
	}
	return nil
}

// replaceWorkflows puts what was read again in the place of what was read before.
func replaceWorkflows(list, again []*Workflow, ids []string) []*Workflow {
	out := append([]*Workflow(nil), again...)
	for _, w := range list {
		if !slices.Contains(ids, w.ID) {
			out = append(out, w)
		}
	}
	return out
}

// compile reuses what is known of an unchanged workflow.
func (d *definitionReader) compile(w *Workflow, began time.Time) *Definition {
	d.mu.Lock()
	known := d.known[w.ID]
	d.mu.Unlock()
	var fresh *Definition
	if known != nil && reflect.DeepEqual(known.Workflow, w) {
		same := *known
		fresh = &same
	} else {
		fresh = Compile(w)
	}
	fresh.ReadAt = began
	d.mu.Lock()
	d.known[w.ID] = fresh
	d.mu.Unlock()
	return fresh
}

// absent is the definition of a workflow that does not exist. It is not kept: anybody may ask
// for any name.
func (d *definitionReader) absent(id string, began time.Time) *Definition {
	none := Compile(&Workflow{ID: id})
	none.ReadAt, none.Absent = began, true
	d.mu.Lock()
	delete(d.known, id)
	d.mu.Unlock()
	return none
}

// save writes the texts of steps nobody has seen yet, before any session runs them.
func (d *definitionReader) save(ctx context.Context, result map[string]*Definition) error {
	var fresh []StoredDefinition
	d.mu.Lock()
	for _, def := range result {
		for id, c := range def.All() {
			if !d.saved[c.Hash] {
				fresh = append(fresh, def.StepDefinition(id))
			}
		}
	}
	d.mu.Unlock()
	if len(fresh) == 0 {
		return nil
	}
	if err := d.store.SaveDefinitions(ctx, fresh); err != nil {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, s := range fresh {
		d.saved[s.Hash] = true
	}
	d.forgetSaved()
	return nil
}

// forgetSaved drops hashes of texts that no known workflow has any more, once they are many:
// each edit leaves one. A text that comes back is written again, which changes nothing.
func (d *definitionReader) forgetSaved() {
	current := 0
	for _, def := range d.known {
		current += len(def.IDs())
	}
	if len(d.saved) <= 2*current+savedRoom {
		return
	}
	d.saved = make(map[string]bool, current)
	for _, def := range d.known {
		for _, c := range def.All() {
			d.saved[c.Hash] = true
		}
	}
}
