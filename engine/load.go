package engine

// A Load is a snapshot of what an engine holds and does.
type Load struct {
	Sessions  int                     `json:"sessions" doc:"sessions that run: they hold one of the engine's places"`
	Waiting   int                     `json:"waiting" doc:"sessions that wait for a slot of a function and hold no place"`
	Calls     int                     `json:"calls" doc:"calls of functions with effects under way"`
	Queued    int                     `json:"queued" doc:"calls that wait for a slot"`
	Late      float64                 `json:"late_seconds" doc:"for how long due work has waited for room; 0 while there is room"`
	Overdue   float64                 `json:"overdue_seconds" doc:"for how long the session with the earliest due time has been due, whether or not this engine has room; at most 10 s old"`
	Limits    LoadLimits              `json:"limits"`
	Workflows map[string]WorkflowLoad `json:"workflows"`
	Turns     []Lane                  `json:"turns,omitempty" doc:"sessions of limited workflows that wait for their turn or have it, on all engines; at most 10 s old"`
	Functions map[string]FunctionLoad `json:"functions" doc:"those with calls under way or waiting"`
	Relay     *RelayState             `json:"relay,omitempty" doc:"the connection by which engines tell each other of events"`
}

// LoadLimits are the configured limits of an engine.
type LoadLimits struct {
	Sessions int `json:"sessions"`
	Waiting  int `json:"waiting"`
	Calls    int `json:"calls"`
}

// WorkflowLoad is the part of one workflow.
type WorkflowLoad struct {
	Sessions int `json:"sessions"`
	Waiting  int `json:"waiting"`
}

// FunctionLoad is the load of one function.
type FunctionLoad struct {
	Calls  int `json:"calls"`
	Queued int `json:"queued"`
	Limit  int `json:"limit"`
}
