package session

import "sync"

// mostRefusals bounds how many refusals an engine remembers having logged.
const mostRefusals = 1000

// refusals remembers which refusals by policy have been logged. A blocked address or a disabled
// shell fails every session of a workflow in the same way. Only the operator can change that, so
// each refusal is logged, but once.
type refusals struct {
	mu   sync.Mutex
	said map[[3]string]bool // workflow, step, message
}

// isNew reports whether a refusal has not been logged yet, and marks it as logged.
func (f *refusals) isNew(workflow, step, message string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	key := [3]string{workflow, step, message}
	if f.said[key] {
		return false
	}
	if f.said == nil || len(f.said) >= mostRefusals {
		f.said = map[[3]string]bool{}
	}
	f.said[key] = true
	return true
}
