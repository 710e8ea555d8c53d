// Package function is the API for authors of step functions: the Spec that describes a
// function, the Registry that holds it, Register for a plain Go func, the Call with the keys
// and the sink of a call, and the error values by which a function asks a person (AwaitInput)
// or delegates to the engine (RunBody, RunSessions, CallTools, Wait).
//
// It imports neither the engine nor a store. A function is therefore tested by calling it:
//
//	ctx := function.WithCall(t.Context(), &function.Call{Sink: &recorder})
//	out, err := greet(ctx, in)
//
// Invariant: a function may be called twice for one checkpoint, because an engine can die
// between the call and the checkpoint. Call.Key is the same for both calls.
package function
