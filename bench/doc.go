// Package bench measures an engine on a store with workloads that say one thing each:
//
//	chain    20 steps with effects that do nothing, one after another: each result is
//	         durable before the next step starts
//	pure     the same with pure steps, which share checkpoints
//	pause    2 steps, a question, its answer, 2 steps
//	turns    one long conversation: does turn 1,000 cost what turn 10 costs?
//	fanout   100 steps side by side, joined
//	loop     100 rounds of a step with an effect and one without
//	map      the same 100 times side by side, each in a child session
//	resume   many paused sessions answered as one batch
//	ceiling  the store alone: guarded checkpoints of the same size in groups
//
// Each gives one Result. Latencies are seen by a caller: from the call until the session
// rests.
package bench
