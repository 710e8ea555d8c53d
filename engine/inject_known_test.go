package engine_test

// knownViolations are the violations that injections are known to find, one line for each
// reason, with an injection that shows it. The table may only shrink: a violation of any
// other reason fails TestInject, and so does a line whose injection no longer violates
// anything for its reason.
var knownViolations = []knownViolation{
	{"acknowledged answer dropped", "state_edit Session/4 answer session outside", "an edit of the state passes an answer that is not applied yet"},
	{"active for ever", "kids_workflow Claim/3 remove session outside", "step_gone is unknown to a step with children"},
	{"a removed step ends in silence", "wait_time Claim/3 remove session outside", "step_gone is unknown to timers"},
	{"complete with an open step", "rounds_join Commit/1 remove session inside", "step_gone is unknown to containers"},
	{"complete with driven", "rounds_join Commit/1 remove session inside", "the same"},
}

// A knownViolation is one line of the table: the reason as the oracle gives it, an
// injection as STEPGRAPH_INJECT takes it, and what is wrong.
type knownViolation struct{ reason, shownBy, cause string }
