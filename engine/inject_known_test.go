package engine_test

// knownViolations are the violations that injections are known to find, one line for each
// reason, with an injection that shows it. The table may only shrink: a violation of any
// other reason fails TestInject, and so does a line whose injection no longer violates
// anything for its reason.
var knownViolations = []knownViolation{
	{"acknowledged answer dropped", "state_edit Session/4 answer session outside", "an edit of the state passes an answer that is not applied yet"},
	{"open question takes no answer", "state_put_back ClaimBatch/1 cancel session inside", "a state with an open question, put back into a cancelled session, leaves it cancelled"},
	{"a removed step ends in silence", "edit_question Commit/1 remove session outside", "the step ends as it is removed, and its paths are gone"},
}

// A knownViolation is one line of the table: the reason as the oracle gives it, an
// injection as STEPGRAPH_INJECT takes it, and what is wrong.
type knownViolation struct{ reason, shownBy, cause string }
