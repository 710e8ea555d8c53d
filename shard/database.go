package shard

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/stepgraph/stepgraph/engine/graph"
	"github.com/stepgraph/stepgraph/engine/store"
	"github.com/stepgraph/stepgraph/internal/sleep"
)

// running is what a Store does by itself until it is closed.
type running struct {
	life context.Context
	end  context.CancelFunc
	work sync.WaitGroup
	log  *slog.Logger
}

// A database is one home. When a call cannot reach it, it counts as down: background work
// (searches for due work, announcements) leaves it out, so that the others do not wait for it at
// each turn, and a goroutine pings it until it answers. Calls that need one of its sessions are
// made all the same and return its error.
type database struct {
	name string
	open func(ctx context.Context) (store.Store, error)
	of   *running
	use  use

	mu       sync.Mutex
	opened   store.Store // nil until it could be opened
	fault    error       // of a database in trouble
	probing  bool
	migrates bool              // Migrate was called: applies to a database that is opened later, too
	late     []*search         // under way for a Claim that did not wait for them
	limited  []*graph.Workflow // as read last
	texts    map[string]bool   // hashes of definitions that it is known to have
}

// Pauses between two pings of a database in trouble, and how long a ping may take.
const (
	probeFirst = 100 * time.Millisecond
	probeMost  = 2 * time.Second
	probeFor   = 5 * time.Second
)

// A fault is an error of a database, with its name.
type fault struct {
	database string
	err      error
}

func (f *fault) Error() string { return "database " + f.database + ": " + f.err.Error() }
func (f *fault) Unwrap() error { return f.err }

// named adds the database's name to an error that has none.
func (d *database) named(err error) error {
	var f *fault
	if err == nil || errors.As(err, &f) {
		return err
	}
	return &fault{d.name, err}
}

// unreachable reports errors of a database that cannot be reached. One that takes no writes can be
// read.
func unreachable(err error) bool {
	return (errors.Is(err, store.ErrUnavailable) || errors.Is(err, store.ErrUnknownOutcome)) && !unwritable(err)
}

// unwritable reports errors of a database that answers and takes no writes.
func unwritable(err error) bool {
	return errors.Is(err, store.ErrDiskFull) || errors.Is(err, store.ErrReadOnly)
}

// current returns the open store, or why there is none.
func (d *database) current() (store.Store, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.opened == nil {
		if d.fault != nil {
			return nil, d.fault
		}
		return nil, d.named(store.ErrUnavailable)
	}
	return d.opened, nil
}

func (d *database) describe() string {
	if opened, err := d.current(); err == nil {
		return opened.Describe()
	}
	return "not open"
}

// outage returns why the database is left out of what runs by itself, or nil.
func (d *database) outage() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.fault
}

// call makes one call to a database.
func call[T any](ctx context.Context, d *database, f func(store.Store) (T, error)) (T, error) {
	opened, err := d.current()
	if err != nil {
		var none T
		return none, err
	}
	began := time.Now()
	out, err := f(opened)
	d.use.note(time.Since(began), err)
	return out, d.classify(ctx, err)
}

// use counts the calls of a database.
type use struct {
	calls, failed atomic.Uint64
	took          atomic.Int64 // nanoseconds
}

func (u *use) note(took time.Duration, err error) {
	u.calls.Add(1)
	u.took.Add(int64(took))
	if unreachable(err) || unwritable(err) {
		u.failed.Add(1)
	}
}

// do makes a call that returns nothing but an error.
func do(ctx context.Context, d *database, f func(store.Store) error) error {
	_, err := call(ctx, d, func(s store.Store) (struct{}, error) { return struct{}{}, f(s) })
	return err
}

// classify names the database in its own errors, and notes that it cannot be reached. An error that is
// about a session or a workflow stays as it is. A cancelled call says nothing about the database.
func (d *database) classify(ctx context.Context, err error) error {
	switch {
	case err == nil:
	case unreachable(err):
		err = d.named(err)
		if ctx.Err() == nil {
			d.markDown(err)
		}
	case unwritable(err), errors.Is(err, store.ErrStoreDamaged):
		err = d.named(err)
	}
	return err
}

// markDown leaves the database out of what runs by itself until a ping is answered.
func (d *database) markDown(err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.of.life.Err() != nil {
		return
	}
	d.fault = err
	if !d.probing {
		d.probing = true
		d.of.work.Go(d.probe)
	}
}

// probe pings until the database answers. One that could not be opened is opened, and migrated.
func (d *database) probe() {
	began := time.Now()
	for pause := probeFirst; ; pause = min(2*pause, probeMost) {
		ctx, cancel := context.WithTimeout(d.of.life, probeFor)
		err := d.reopen(ctx)
		if err == nil {
			err = d.ping(ctx)
		}
		cancel()
		d.mu.Lock()
		if err == nil || d.of.life.Err() != nil {
			d.fault, d.probing = nil, false
			d.mu.Unlock()
			if err == nil && time.Since(began) > probeMost {
				d.of.log.Info("database answers again", "database", d.name)
			}
			return
		}
		d.fault = d.named(err)
		d.mu.Unlock()
		if pause == probeMost/2 || pause == probeFirst {
			d.of.log.Warn("database is left out until it answers", "database", d.name, "error", err)
		}
		_ = sleep.For(d.of.life, pause) // the loop sees the end
	}
}

func (d *database) ping(ctx context.Context) error {
	opened, err := d.current()
	if err != nil {
		return err
	}
	return d.named(opened.Ping(ctx))
}

// reopen opens the database unless it is open.
func (d *database) reopen(ctx context.Context) error {
	d.mu.Lock()
	opened, migrates := d.opened != nil, d.migrates
	d.mu.Unlock()
	if opened {
		return nil
	}
	s, err := d.open(ctx)
	if err == nil && migrates {
		if _, err = s.Migrate(ctx); err != nil {
			err = errors.Join(err, s.Close())
		}
	}
	if err != nil {
		if err = d.named(err); unreachable(err) {
			d.markDown(err)
		}
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.opened = s
	return nil
}

// An answer is what one database returned.
type answer[T any] struct {
	of  *database
	out T
	err error
}

// sideBySide calls f for all of the databases at once and returns the answers in their order.
func sideBySide[T any](ctx context.Context, of []*database, f func(context.Context, *database) (T, error)) []answer[T] {
	answers := make([]answer[T], len(of))
	atOnce(len(of), func(i int) {
		a := &answers[i]
		a.of = of[i]
		a.out, a.err = f(ctx, a.of)
	})
	return answers
}

// atOnce calls f with 0 to n-1 at once, the last time on this goroutine.
func atOnce(n int, f func(i int)) {
	var all sync.WaitGroup
	for i := range n - 1 {
		all.Go(func() { f(i) })
	}
	if n > 0 {
		f(n - 1)
	}
	all.Wait()
}

// ask calls f on all of the databases at once.
func ask[T any](ctx context.Context, of []*database, f func(store.Store) (T, error)) []answer[T] {
	return sideBySide(ctx, of, func(ctx context.Context, d *database) (T, error) { return call(ctx, d, f) })
}

// faults joins the errors of answers.
func faults[T any](answers []answer[T]) error {
	var all []error
	for i := range answers {
		if answers[i].err != nil {
			all = append(all, answers[i].err)
		}
	}
	return joined(all)
}

// joined is one error as it is, several of them joined.
func joined(all []error) error {
	if len(all) == 1 {
		return all[0]
	}
	return errors.Join(all...)
}

// allOrError returns the answers, or an error if one database gave none: a list with holes would pass
// for the whole.
func allOrError[T any](answers []answer[T]) ([]T, error) {
	if err := faults(answers); err != nil {
		return nil, err
	}
	out := make([]T, len(answers))
	for i, a := range answers {
		out[i] = a.out
	}
	return out, nil
}

// anyOrError returns what answered, and an error only if nothing did.
func anyOrError[T any](answers []answer[T]) (out []answer[T], err error) {
	for _, a := range answers {
		if a.err == nil {
			out = append(out, a)
		}
	}
	if len(out) == 0 {
		return nil, faults(answers)
	}
	return out, nil
}

// timely bounds what runs by itself, so that a database that has just fallen silent delays the
// others once and not for as long as one of its calls may take.
const timely = 3 * time.Second

// brief makes a call that has to be answered within a short time.
func brief[T any](ctx context.Context, d *database, f func(context.Context, store.Store) (T, error)) (T, error) {
	short, cancel := context.WithTimeoutCause(ctx, timely, store.Detailf(store.ErrUnavailable, "no answer within %s", timely))
	defer cancel()
	return call(ctx, d, func(s store.Store) (T, error) {
		out, err := f(short, s)
		return out, overdue(ctx, short, err)
	})
}

// overdue says that a call was cut off by the deadline of short and not by the end of ctx.
func overdue(ctx, short context.Context, err error) error {
	if err != nil && short.Err() != nil && ctx.Err() == nil {
		return errors.Join(context.Cause(short), err)
	}
	return err
}
