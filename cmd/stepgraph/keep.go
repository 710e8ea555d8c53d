package main

import "github.com/stepgraph/stepgraph/engine/retention"

// keepRules reads how long sessions are kept: flag, environment, file.
func (h *host) keepRules(flag []string) (retention.Keep, error) {
	rules := flag
	if len(rules) == 0 {
		rules = splitList(h.env("STEPGRAPH_KEEP"))
	}
	if len(rules) == 0 {
		rules = h.config.Keep
	}
	keep, err := retention.ParseKeep(rules)
	if err != nil {
		return nil, usagef("--keep: %s", err)
	}
	return keep, nil
}
