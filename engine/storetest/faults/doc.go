// Package faults makes a store fail on purpose. It wraps any engine.Store and lets calls
// fail in the ways a database across a network does: the call never arrived, or it was
// carried out and its answer lost. A hook before and after each call lets a test stop
// the "process" between any two of them: from Die on, every call fails as if nobody were
// there to make it, and what the wrapped store holds is what a restart finds.
//
// Which call fails is decided by its number and a seed alone, so a fault that was found
// can be found again; under concurrency the numbers go to calls in the order they came.
package faults
