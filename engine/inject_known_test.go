package engine_test

// knownViolations are the violations that injections are known to find, one line for each
// reason, with an injection that shows it. The table may only shrink: a violation of any
// other reason fails TestInject, and so does a line whose injection no longer violates
// anything for its reason.
var knownViolations = []knownViolation{
	{"active for ever", "kids_retried Commit/4 signal child outside",
		"a child notes that its parent was told while the checkpoint is built that the store refuses"},
	{"parent waits for a child that has ended", "kids_retried Commit/4 signal child outside", "the same"},
	{"paused for ever", "kids_body Commit/8 pause session outside", "a pause reaches children that have ended"},
	{"child outlives its parent", "kids_body Commit/8 pause session outside", "the same"},
	{"acknowledged answer dropped", "again Deliver/2 move session inside", "acceptance does not look at the requests in front of the answer"},
	{"request never applied", "answers_during_pause Commit/5 cancel session inside", "a cancel forgets the answers held by a pause"},
	{"acknowledged cancel dropped", "answers_count_once Commit/5 cancel session inside", "the end of the wave stays in memory when the store refuses it"},
	{"acknowledged cancel had no effect", "answers_count_once Commit/5 cancel session inside", "the same"},
	{"a removed step ends in silence", "wait_time Claim/3 remove session outside", "only answers know step_gone"},
	{"complete with an open step", "rounds_join Commit/1 remove session inside", "the same, of a container"},
	{"complete with driven", "rounds_join Commit/1 remove session inside", "the same"},
	{"complete with again", "error_fail_session Commit/2 move session inside", "a move during fail_session activates the step for nobody"},
}

// A knownViolation is one line of the table: the reason as the oracle gives it, an
// injection as STEPGRAPH_INJECT takes it, and what is wrong.
type knownViolation struct{ reason, shownBy, cause string }
