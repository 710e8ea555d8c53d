package engine

import (
	"context"
	"errors"
	"reflect"
	"sync"
	"time"

	"github.com/stepgraph/stepgraph/engine/graph"
	"github.com/stepgraph/stepgraph/engine/internal/retry"
	"github.com/stepgraph/stepgraph/engine/store"
)

// A definitionReader reads definitions for many sessions at once. An engine has one, and its
// runners, starts and views use it.
//
// A caller gets a definition whose read began after its call, so it contains every edit committed
// before the call. One read for each session loads the store as much as the sessions themselves; a
// cache with an expiry shows edits late. So all callers that arrive while one read is under way share
// the next read. A workflow that has not changed is not compiled again.
//
// A store of several databases has a reader for each: one that is slow or gone delays no reads of
// another.
type definitionReader struct {
	store   Store
	divided store.Divided // nil for a store that is one database, and in its readers

	mu      sync.Mutex
	pending *definitionRead // collects calls for the next read
	now     *definitionRead // under way, nil for none
	busy    bool
	// notBefore is the earliest time of the next read. Only the working goroutine writes it.
	notBefore time.Time
	known     map[string]*graph.Definition // newest per workflow that exists
	saved     map[string]bool              // hashes of DEFINITIONs that are already stored
	parts     map[string]*definitionReader // by database, of a divided store
}

type definitionRead struct {
	ids     map[string]bool
	entries map[string][]string
	began   time.Time // set when the read begins
	done    chan struct{}
	result  map[string]*graph.Definition
	err     error
}

// readTimeout bounds one read of definitions.
const readTimeout = 30 * time.Second

// longestGathering limits how long calls are collected after a read, which is as long as that
// read took. Without the pause, reads in sequence would load the store as much as the sessions
// do while many sessions start.
const longestGathering = 20 * time.Millisecond

func newDefinitionReader(s Store) *definitionReader {
	d := &definitionReader{store: s, known: map[string]*graph.Definition{}, saved: map[string]bool{}}
	if divided, ok := s.(store.Divided); ok {
		d.divided, d.parts = divided, map[string]*definitionReader{}
	}
	return d
}

// of returns the reader of the database of a workflow.
func (d *definitionReader) of(workflow string) *definitionReader {
	if d.divided == nil {
		return d
	}
	database := d.divided.DatabaseOfWorkflow(workflow)
	d.mu.Lock()
	defer d.mu.Unlock()
	part := d.parts[database]
	if part == nil {
		part = &definitionReader{store: d.store, known: map[string]*graph.Definition{}, saved: map[string]bool{}}
		d.parts[database] = part
	}
	return part
}

// Read returns the current definition of a workflow; for a workflow that does not exist, a
// definition without steps. entry is a step to look for in addition to root.
func (d *definitionReader) Read(ctx context.Context, workflow, entry string) (*graph.Definition, error) {
	d = d.of(workflow)
	return retry.Unless(ctx, ofOtherSchema, func() (*graph.Definition, error) { return d.join(workflow, entry).wait(ctx, workflow) })
}

// ofOtherSchema reports that a definition cannot be saved before the schema of the store is mended.
func ofOtherSchema(err error) bool { return errors.Is(err, ErrSchema) }

// Begin is Read for a caller that needs the definition later: the read contains every edit committed
// before the call of Begin, and the returned func waits for it.
func (d *definitionReader) Begin(workflow, entry string) func(context.Context) (*graph.Definition, error) {
	d = d.of(workflow)
	r := d.join(workflow, entry)
	return func(ctx context.Context) (*graph.Definition, error) {
		def, err := r.wait(ctx, workflow)
		if err != nil && retry.Transient(err) {
			return d.Read(ctx, workflow, entry)
		}
		return def, err
	}
}

// Recent returns a definition at most age old: from memory, from a read that others wait for, or by a
// read of its own.
func (d *definitionReader) Recent(ctx context.Context, workflow string, age time.Duration) (*graph.Definition, error) {
	d = d.of(workflow)
	known, pending := d.recent(workflow, age)
	if known != nil {
		return known, nil
	}
	if pending != nil {
		if def, err := pending.wait(ctx, workflow); err == nil {
			return def, nil
		}
	}
	return d.Read(ctx, workflow, "")
}

// recent returns the known definition if it is at most age old, or a read of it that is under way or
// about to begin.
func (d *definitionReader) recent(workflow string, age time.Duration) (*graph.Definition, *definitionRead) {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch known := d.known[workflow]; {
	case known != nil && time.Since(known.ReadAt) < age:
		return known, nil
	case d.now != nil && d.now.ids[workflow] && time.Since(d.now.began) < age:
		return nil, d.now
	case d.pending != nil && d.pending.ids[workflow]:
		return nil, d.pending
	}
	return nil, nil
}

// wait returns the definition of a workflow that was read.
func (r *definitionRead) wait(ctx context.Context, workflow string) (*graph.Definition, error) {
	select {
	case <-r.done:
		return r.result[workflow], r.err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

func (d *definitionReader) join(workflow, entry string) *definitionRead {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.pending == nil {
		d.pending = &definitionRead{ids: map[string]bool{}, entries: map[string][]string{}, done: make(chan struct{})}
	}
	r := d.pending
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
		r.result, r.err = d.fetch(ctx, r)
		if took := time.Since(r.began); took > time.Millisecond { // an embedded store is read faster than a pause would take
			d.notBefore = time.Now().Add(min(took, longestGathering))
		}
		cancel()
		close(r.done)
	}
}

// next waits until notBefore and returns the calls collected until then. It returns nil when there
// are none; then the working goroutine ends.
func (d *definitionReader) next() *definitionRead {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.now = nil; d.pending == nil {
		d.busy = false
		return nil
	}
	if wait := time.Until(d.notBefore); wait > 0 {
		d.mu.Unlock()
		time.Sleep(wait)
		d.mu.Lock()
	}
	r := d.pending
	d.pending = nil
	d.now, r.began = r, time.Now()
	return r
}

func (d *definitionReader) fetch(ctx context.Context, r *definitionRead) (map[string]*graph.Definition, error) {
	ids := make([]string, 0, len(r.ids))
	for id := range r.ids {
		ids = append(ids, id)
	}
	began := r.began
	workflows, err := d.store.Workflows(ctx, ids, r.entries)
	if err != nil {
		return nil, err
	}
	result := make(map[string]*graph.Definition, len(ids))
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

// savedRoom is how many hashes of earlier texts may gather, at least, before they are dropped.
const savedRoom = 1000

// compile returns the definition of a workflow as read at began. It compiles the workflow only if it
// has changed.
func (d *definitionReader) compile(w *Workflow, began time.Time) *graph.Definition {
	d.mu.Lock()
	known := d.known[w.ID]
	d.mu.Unlock()
	var fresh *graph.Definition
	if known != nil && reflect.DeepEqual(known.Workflow, w) {
		same := *known
		fresh = &same
	} else {
		fresh = graph.Compile(w)
	}
	fresh.ReadAt = began
	d.mu.Lock()
	d.known[w.ID] = fresh
	d.mu.Unlock()
	return fresh
}

// absent returns the definition of a workflow that does not exist. It is not cached, because
// callers may ask for any name.
func (d *definitionReader) absent(id string, began time.Time) *graph.Definition {
	none := graph.Compile(&Workflow{ID: id})
	none.ReadAt, none.Absent = began, true
	d.mu.Lock()
	delete(d.known, id)
	d.mu.Unlock()
	return none
}

// save stores the texts of steps that are new, before any session runs them.
func (d *definitionReader) save(ctx context.Context, result map[string]*graph.Definition) error {
	var fresh []graph.StoredDefinition
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

// forgetSaved drops hashes of texts that no known workflow contains, once there are many: each
// edit leaves one behind. If such a text returns, it is written again, which is harmless.
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
