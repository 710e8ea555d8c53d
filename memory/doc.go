// Package memory is a store that keeps workflows, sessions and history in the memory of one
// process. Tests use it with a fake clock, and `--store memory` uses it to try a workflow. The
// data is lost when the process ends.
//
// It implements the whole contract of engine.Store, including guards, leases and inboxes, and
// is the model with which package engine/storetest compares the other stores. One mutex makes
// every call a transaction. Arguments and results are copied deeply, so that a caller cannot
// change stored data through a shared slice.
package memory
