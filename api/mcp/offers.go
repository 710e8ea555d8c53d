package mcp

// An offer is an operation of the API that is a tool.
type offer struct {
	operation string // its operationId
	name      string
	about     string // for models, instead of the operation's own description
	wait      string // of the parameter wait, where a call leaves it out
	hint      hint
}

// A hint says what a call may do to what is stored.
type hint int

const (
	reads    hint = iota
	adds          // nothing that was there is lost
	replaces      // what was there may be lost
)

const waits = "10s"

// offers are the tools. What concerns the server as a
// whole (tokens, secrets, profiles, pruning) is not among them.
var offers = []offer{
	{operation: "listWorkflows", name: "list_workflows", about: "Lists the workflows that sessions can be started of: id, name, description, number of steps."},
	{operation: "getWorkflow", name: "get_workflow", about: "Returns a workflow with its steps and paths. Steps without an incoming path are where a session can begin."},
	{operation: "listFunctions", name: "list_functions", about: "Lists the functions that steps can have, with the JSON Schema of their inputs and outputs."},
	{operation: "validateWorkflow", name: "validate_workflow"},
	{operation: "putWorkflow", name: "save_workflow", hint: replaces, about: "Creates a workflow, or replaces it. With dry_run the answer says what would change. Sessions that wait continue with the new one."},
	{operation: "patchStep", name: "change_step", hint: replaces, about: "Changes properties of one step; the others stay. A property that is null is removed. Sessions that wait continue with the changed step."},
	{operation: "stepAffected", name: "sessions_at_step", about: "Tells which sessions a change of the step would concern, before it is made."},

	{operation: "startSession", name: "start_session", hint: adds, wait: waits, about: "Starts a session of a workflow and waits until it asks a question or ends, for up to 10 s unless wait says otherwise. " +
		"The answer has the session's id, its status, its messages, and in awaiting the questions that answer_session answers."},
	{operation: "getSession", name: "get_session", about: "Returns a session: status, messages, open questions, error. With wait it returns when the session is idle: when it waits for a person or has ended."},
	{operation: "listSessions", name: "list_sessions"},
	{operation: "countSessions", name: "count_sessions"},
	{operation: "listAwaiting", name: "list_awaiting", about: "Lists the open questions and approvals of all sessions, the oldest first."},
	{operation: "answer", name: "answer_session", hint: adds, wait: waits, about: "Answers a question or an approval of a session and waits until it asks again or ends, for up to 10 s unless wait says otherwise. " +
		"response is what the question's schema asks for; an approval takes {approved, input?, reason?}."},
	{operation: "listMessages", name: "list_messages"},
	{operation: "listExecutions", name: "list_executions", about: "Lists what the steps of a session did: input as resolved, output, error, times, which outputs were used."},
	{operation: "explainSession", name: "explain_session", about: "Explains why a session is where it is: each path with each clause, missing references, limits, and the action that would help."},

	{operation: "pauseSession", name: "pause_session", hint: adds},
	{operation: "resumeSession", name: "resume_session", hint: adds, wait: waits},
	{operation: "retrySession", name: "retry_session", hint: adds, wait: waits},
	{operation: "advanceSession", name: "advance_session", hint: adds, wait: waits},
	{operation: "moveSession", name: "move_session", hint: replaces, wait: waits},
	{operation: "reaskSession", name: "reask_session", hint: replaces},
	{operation: "signalSession", name: "signal_session", hint: adds, wait: waits},
	{operation: "forkSession", name: "fork_session", hint: adds, wait: waits},
	{operation: "cancelSession", name: "cancel_session", hint: replaces},

	{operation: "startBatch", name: "start_batch", hint: replaces, about: "Does one action with many sessions, given by a filter or one by one. With dry_run nothing is done and the results say what would be. " +
		"The batch goes on after the call: get_batch shows how far it is."},
	{operation: "getBatch", name: "get_batch"},
}
