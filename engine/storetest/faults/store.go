package faults

import (
	"fmt"
	"sync/atomic"

	"github.com/stepgraph/stepgraph/engine/store"
)

// ErrDead is what every call returns after Die. It is an engine.ErrUnavailable: the
// worker that made the call is meant to be dead and to learn nothing.
var ErrDead = fmt.Errorf("%w: this process has died", store.ErrUnavailable)

// A Store is an engine.Store that fails as planned.
type Store struct {
	inner store.Store
	plan  Plan
	calls atomic.Int64
	made  atomic.Int64
	dead  atomic.Bool
}

var _ store.Store = (*Store)(nil)

// Wrap puts a plan around a store. Several wrappers may share one store: each is the
// connection of one process.
func Wrap(opened store.Store, plan Plan) *Store {
	return &Store{inner: opened, plan: plan}
}

// Die makes every later call fail with ErrDead, and those under way too as soon as the
// wrapped store answers. It may be called from anywhere, hooks included: in Before, the
// call is not carried out; in After, it has been and nobody hears of it.
func (s *Store) Die() { s.dead.Store(true) }

// Dead reports whether Die was called.
func (s *Store) Dead() bool { return s.dead.Load() }

// Calls returns how many calls were made so far, dead ones not counted.
func (s *Store) Calls() int { return int(s.calls.Load()) }

// Faults returns how many of them failed as planned.
func (s *Store) Faults() int { return int(s.made.Load()) }

// Close closes the store below, dead or not.
func (s *Store) Close() error { return s.inner.Close() }

// Describe describes the store below.
func (s *Store) Describe() string { return s.inner.Describe() }

// read and write let one call go through or fail.
func read[T any](s *Store, method string, f func() (T, error)) (T, error) {
	return call(s, method, false, f)
}

func write[T any](s *Store, method string, f func() (T, error)) (T, error) {
	return call(s, method, true, f)
}

func call[T any](s *Store, method string, isWrite bool, f func() (T, error)) (T, error) {
	var none T
	if s.Dead() {
		return none, ErrDead
	}
	c := Call{N: int(s.calls.Add(1)), Method: method, Write: isWrite}
	if s.plan.Before != nil {
		s.plan.Before(c)
	}
	if s.Dead() {
		return none, ErrDead
	}
	out, err := none, error(nil)
	fault := s.plan.fault(c)
	if fault == NotDone {
		err = fault.err(c)
	} else {
		out, err = f()
	}
	if s.plan.After != nil {
		s.plan.After(c, err)
	}
	if s.Dead() {
		return none, ErrDead
	}
	if fault != None {
		s.made.Add(1)
		return none, fault.err(c)
	}
	return out, err
}

// only is for methods that return nothing but an error.
func only(f func() error) func() (struct{}, error) {
	return func() (struct{}, error) { return struct{}{}, f() }
}
