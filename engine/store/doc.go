// Package store is the contract between the engine and a database, and all that the author of a
// store reads: the interfaces that make up Store, the records that cross them (SessionRecord,
// Execution, Request, Checkpoint, Batch), the sentinel errors, and the rules by which a store
// changes a session for a request from outside (Delivery.Take, StateEdit.Refuse). The rules are
// pure functions of a record under its lock: a rule written once in each store soon has three
// meanings. Package storetest holds every store to the contract.
//
// Invariant: only the holder of the lease writes a session's state. Everything from outside is a
// Request in the session's inbox first.
package store
