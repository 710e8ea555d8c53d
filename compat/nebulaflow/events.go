package nebulaflow

// Types of the messages that NebulaFlow sends to its editor about a run.
const (
	EventStarted   = "execution_started"
	EventNode      = "node_execution_status"
	EventPaused    = "execution_paused"
	EventCompleted = "execution_completed"
)
