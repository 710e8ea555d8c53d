package state

import (
	"encoding/json"
	"slices"

	"github.com/stepgraph/stepgraph/internal/jsontext"
)

// plan is what was said of the session's way: where it begins and ends, what is given to it, and
// which paths cannot be followed.
type plan struct {
	entry    string
	until    []string
	seeds    map[string]json.RawMessage
	problems map[string]string
	signals  []Signal
}

// Entry is the step the session began at, "" for the default one.
func (p *plan) Entry() string { return p.entry }

// BeginsAt names the step the session begins at, "" for the default one.
func (p *plan) BeginsAt(entry string) { p.entry = entry }

// Seed lets a step end with an output instead of running, the first time it is activated.
func (p *plan) Seed(step string, output json.RawMessage) {
	p.seeds = put(p.seeds, step, jsontext.Compact(output))
}

// TakeSeed returns the output that a step ends with instead of running, once.
func (p *plan) TakeSeed(step string) (output json.RawMessage, ok bool) {
	if output, ok = p.seeds[step]; ok {
		delete(p.seeds, step)
	}
	return output, ok
}

// EndAt names steps whose paths are not followed: the session ends there.
func (p *plan) EndAt(steps []string) { p.until = steps }

// EndsAt are the steps whose paths are not followed, nothing for a session that goes on as far as
// its paths lead.
func (p *plan) EndsAt() []string { return p.until }

// FollowsPaths reports whether the paths of a step are followed.
func (p *plan) FollowsPaths(step string) bool { return !slices.Contains(p.until, step) }

// GoOnFrom lets the paths of a step be followed again.
func (p *plan) GoOnFrom(step string) {
	p.until = slices.DeleteFunc(slices.Clone(p.until), func(s string) bool { return s == step })
}

// NoteProblem records why a path can never be taken; without a problem it removes the record.
func (p *plan) NoteProblem(path, problem string) {
	if problem == "" {
		delete(p.problems, path)
		return
	}
	p.problems = put(p.problems, path, problem)
}

// ProblemPaths are the paths that are closed for good, by id, in order.
func (p *plan) ProblemPaths() []string { return sortedKeys(p.problems) }

// ProblemOf says why a path is closed for good.
func (p *plan) ProblemOf(path string) string { return p.problems[path] }

// KeepSignal keeps a signal for a step that will wait for it.
func (p *plan) KeepSignal(signal Signal) { p.signals = append(p.signals, signal) }

// KeptSignals is how many signals no step has taken yet.
func (p *plan) KeptSignals() int { return len(p.signals) }

// TakeSignal returns the oldest signal of a name that was sent before, and forgets it.
func (p *plan) TakeSignal(name string) (Signal, bool) {
	for i, signal := range p.signals {
		if signal.Name == name {
			p.signals = append(p.signals[:i:i], p.signals[i+1:]...)
			return signal, true
		}
	}
	return Signal{}, false
}

// A Signal is one that was sent and that no step has taken yet.
type Signal struct {
	Name string          `json:"name"`
	Body json.RawMessage `json:"body,omitempty"`
	N    int64           `json:"n"`
}
