package engine

import (
	"maps"
	"slices"
	"time"
)

// Engines on one store need not have the same functions: during the rollout of a new version, the
// old one meets steps that it cannot run. Failing such a step would end a session that another
// engine could advance. So each engine announces its functions in the store, and an engine that
// lacks a function leaves the session active and due for one that has it. It does not claim the
// session itself for a while, so that the other engine finds it free.
//
// A step fails only if no engine has announced the function within the last minute. A typing
// error, which no engine has ever announced, fails at once.
const (
	announceEvery = 10 * time.Second
	aliveFor      = 3 * announceEvery // an engine that has been silent for longer counts as gone
	lackFor       = time.Minute       // as long after its last announcement an engine may be back
	forgetEngines = time.Hour
	leaveFor      = 5 * time.Second // an engine does not claim a session that it has left
	leftAtMost    = 1000            // such sessions remembered
)

// functionNames are the names and aliases of all functions; one that ends in "*" is a prefix.
func functionNames(r *Registry) []string {
	var names []string
	for _, s := range r.Specs() {
		names = append(append(names, s.Name), s.Aliases...)
	}
	return names
}

// leaveAlone keeps this engine from claiming a session that it has left to others.
func (h *holding) leaveAlone(session string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.left) < leftAtMost {
		h.left[session] = time.Now().Add(leaveFor)
	}
}

// leftAlone are the sessions that this engine does not claim now.
func (h *holding) leftAlone() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	for id, until := range h.left {
		if !time.Now().Before(until) {
			delete(h.left, id)
		}
	}
	return slices.Sorted(maps.Keys(h.left))
}
