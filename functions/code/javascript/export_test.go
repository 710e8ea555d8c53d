package javascript

// Running is how many scripts run, those included that their callers left behind.
func Running() int { return len(places) }
