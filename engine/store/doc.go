// Package store is the contract between the engine and a database, for authors of stores. It
// has the interfaces that make up Store, the records that they exchange (SessionRecord,
// Execution, Request, Checkpoint, Batch), the sentinel errors, and the rules by which a store
// applies a request to a session (Delivery.Take, StateEdit.Refuse). The rules are pure
// functions of a record that is read under its lock, written once so that all stores behave
// the same. Package storetest tests a store against the contract.
//
// Invariant: only the holder of the lease writes a session's state. Everything from outside is
// first stored as a Request in the session's inbox.
package store
