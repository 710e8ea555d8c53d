// Package storetest tests stores against the contract of engine.Store. The test of a store
// calls Run with a function that opens the store. Model runs random sequences of calls against
// a store and package memory and compares the results. RunByHand is for databases whose data
// people edit by hand.
//
// The cases do not depend on a particular store. All of them may share a database that also
// contains other data: each case uses its own ids and counts only its own records. Where the
// contract leaves behaviour undefined, the cases do not test it. Where the contract is silent
// and a case requires one behaviour, the comment of the case says so.
package storetest
