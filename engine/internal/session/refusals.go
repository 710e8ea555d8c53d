package session

import "sync"

// mostRefusals bounds how many refusals an engine remembers having logged.
const mostRefusals = 1000

// refusals are what policy has refused and the log has said. A closed address or a switched-off
// shell fails every session of a workflow in the same way: the operator, who alone can change
// it, has to see it, and once is enough.
type refusals struct {
	mu   sync.Mutex
	said map[[3]string]bool // workflow, step, message
}

// isNew reports whether a refusal has not been logged yet, and counts it as logged.
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
