package engine

// Keys of structured logs.
const (
	logSession    = "session"
	logStep       = "step"
	logFunction   = "function"
	logLeaseOwner = "lease_owner"
	logWorkflow   = "workflow"
	logError      = "error"
	logCount      = "count"
	logBatch      = "batch"
)
