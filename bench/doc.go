// Package bench measures an engine on a store. Each workload measures one property:
//
//	chain    20 steps in a row with effects that do nothing: each result is durable before
//	         the next step starts
//	pure     the same with pure steps, which share checkpoints
//	pause    2 steps, a question, its answer, 2 steps
//	turns    one long conversation: whether turn 1,000 costs as much as turn 10
//	fanout   100 parallel steps and a join
//	loop     100 rounds of a step with an effect and a pure step
//	map      the same 100 times in parallel, each in a child session
//	resume   many paused sessions answered by one batch
//	ceiling  the store alone: guarded checkpoints of the same size, committed in groups
//
// Lists is apart from them: it asks a server whose store has been filled (Fill) for every list and count.
//
// Each workload returns one Result. Latencies are measured by the caller: from the call until
// the session is idle.
package bench
