// Package memory keeps workflows, sessions and their history in the memory of one
// process. It is the store of tests, which run it under a fake clock, and of
// `--store memory`, for trying a workflow out; everything is gone when the process ends.
//
// It is not a cache with a database's interface: it obeys the whole contract of
// engine.Store, guards, leases and inboxes included, and is the model that package
// engine/storetest compares the other stores with. One mutex makes every call a
// transaction. What goes in and what comes out is copied deeply, so that a caller who
// changes a slice he was given finds out here and not in production.
package memory
