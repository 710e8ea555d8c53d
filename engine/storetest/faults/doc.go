// Package faults injects failures into a store. It wraps an engine.Store and makes calls fail
// in the two ways of a remote database: the call did not arrive, or it was executed and its
// response was lost. A hook before and after each call lets a test stop the "process" between
// any two calls: after Die every call fails, and the contents of the wrapped store are what a
// restarted engine finds.
//
// The number of a call and a seed determine which calls fail, so a failure can be reproduced.
// With concurrent callers, calls are numbered in the order of their arrival.
package faults
