// Package faultlane tests the guarantees of stepgraph on real processes and real stores: a
// state transition happens exactly once, the side effect of a step at least once with the same
// idempotency key, and nothing that was acknowledged is lost. The package contains tests only.
//
// Engines are stepgraph processes. They are killed, stopped and disconnected while clients
// start sessions and answer questions over HTTP. Side effects happen at a server of remote
// functions in the test process, which logs each call in a ledger. Afterwards an oracle reads
// the store and compares it with the ledger and with the responses that clients received.
// Mocks would be faster, but these guarantees break in commits whose response is lost, in
// sockets that hang and in processes that resume late, which mocks do not reproduce.
//
// Besides the workflow of effects, joins and questions (workflow_test.go), clients run flows
// (flows_test.go): child sessions, containers, waits and signals, batches, forks, edits of the
// graph, each with pauses and cancels and with rules of its own for the oracle. Flows run on
// real processes, and faster within the test process (TestFlows).
//
// Three rounds are of their own: an upgrade, in which one of two engines lacks a function and a migration
// of the other (versions_test.go); two databases, one of which dies and comes back (databases_test.go); and
// the removal of ended sessions into an archive beside traffic (removal_test.go), where the oracle reads the archive as well.
//
// "go test" runs a short round. STEPGRAPH_FAULTS=n injects n faults, some seconds each.
// STEPGRAPH_FAULTS_SEED repeats the seed that a failure prints; which call a fault hits
// depends on timing, so a seed repeats the plan but not the race.
// STEPGRAPH_FAULTS_FLOWS=batch,fork runs only these flows. Lines that begin with "faults:"
// have the counts; STEPGRAPH_FAULTS_REPORT names a file to which they are also written.
//
// Invariant: the oracle detects violations. mutation_test.go breaks a store in each way that
// the guarantees forbid and requires that the oracle reports every one.
package faultlane
