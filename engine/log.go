package engine

// Keys of structured logs.
const (
	logSession  = "session"
	logStep     = "step"
	logWorkflow = "workflow"
	logFunction = "function"
	logError    = "error"
	logCount    = "count"
	logBatch    = "batch"
)
