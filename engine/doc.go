// Package engine runs workflows. A workflow is a graph of steps and paths, a session is one
// run through it, and an Engine moves sessions forward.
//
//	e := engine.New(memory.New(memory.Options{}), registry, engine.Options{})
//	go e.Run(ctx)
//	session, err := e.StartAndWait(ctx, engine.StartRequest{Workflow: "greet"})
//	session, err = e.Answer(ctx, engine.AnswerRequest{Session: session.ID, Response: answer})
//	session, err = e.Wait(ctx, session.ID)
//
// The state of a session is one JSON text. An engine claims a session by taking its lease,
// runs the active steps in waves, and records each group of finished steps in one guarded
// transaction, the checkpoint. Everything that reaches a session from outside (an answer, a
// signal, a cancel) is first stored as a request in the session's inbox. Invariant: only the
// holder of the lease writes the state.
//
// The package does not depend on a database. It uses a Store; packages memory, sqlite and
// cypher implement it, and package engine/storetest tests implementations. Authors of step
// functions read package engine/function, authors of stores package engine/store.
package engine
