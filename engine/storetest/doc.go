// Package storetest holds every store to the contract of engine.Store. A store's own
// test is a call of Run with a function that opens the store; Model plays random
// sequences of calls against it and against package memory side by side; RunByHand is
// for databases that people edit by hand.
//
// The cases know nothing of the store they run on. A database may be shared by all of
// them and may hold data of others: each case uses ids of its own and never counts what
// is not its own. Where the contract leaves something open, the cases do too; where it
// was silent and a case had to decide, the comment of the case says so.
package storetest
