// Package function is what the author of a step function needs, and all of it: the Spec that
// describes a function, the Registry it is added to, Register for a plain Go func, the Call
// that tells a function who called it, and the error values by which a function asks a person
// (AwaitInput) or hands control to the engine (RunBody, RunSessions, CallTools, Wait).
//
// It imports neither the engine nor a store. A function is therefore tested by calling it:
//
//	ctx := function.WithCall(t.Context(), &function.Call{Sink: &recorder})
//	out, err := greet(ctx, in)
//
// Invariant: a function may be called twice for one checkpoint, because its worker can die
// between the two. Call.Key is the same both times.
package function
