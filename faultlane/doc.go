// Package faultlane holds stepgraph to its promise on real processes and real stores: a
// state transition happens exactly once, the side effect of a step at least once under a
// key that stays the same, and nothing that was acknowledged is lost. It has tests only.
//
// Engines are the stepgraph binary, killed, stopped and cut off while clients start
// sessions and answer their questions over HTTP. Side effects happen at a server of remote
// functions in the test process, whose ledger says what was really called. Afterwards an
// oracle reads the store itself and compares it with the ledger and with what clients were
// told. Mocks would be faster and would prove less: what breaks such promises lives in
// commits whose answer is lost, in sockets that hang and in processes that wake up late.
//
// Besides the workflow of effects, joins and questions (workflow_test.go), clients play flows
// (flows_test.go): child sessions, containers, waits and signals, batches, forks, edits of the
// graph, each with pauses and cancels in the middle and rules of its own for the oracle. They
// run on real processes, and faster in this one (TestFlows).
//
// "go test" plays a short round. STEPGRAPH_FAULTS=n plays n faults, some seconds each, and
// STEPGRAPH_FAULTS_SEED repeats what a failure names; which call a fault meets is up to the
// machine, so a seed repeats the plan, not the race. The lines that begin with "faults:"
// count what was done; STEPGRAPH_FAULTS_FLOWS=batch,fork plays these flows only; STEPGRAPH_FAULTS_REPORT names a file that gets them too.
//
// The invariant: the oracle can fail. mutation_test.go breaks a store in each way the
// promise forbids and wants every one of them reported.
package faultlane
