package access

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// A Limit bounds which workflows and sessions a token reaches. The zero value is no limit. A
// session has to fit both: its workflow is one of Workflows and it has all Labels.
type Limit struct {
	Workflows []string          `json:"workflows,omitempty"` // ids; "shop.*" is every id that begins with "shop."
	Labels    map[string]string `json:"labels,omitempty"`    // of sessions
}

// IsZero reports whether there is no limit.
func (l Limit) IsZero() bool { return len(l.Workflows) == 0 && len(l.Labels) == 0 }

// Workflow reports whether a workflow is within the limit.
func (l Limit) Workflow(id string) bool {
	return len(l.Workflows) == 0 || slices.ContainsFunc(l.Workflows, func(pattern string) bool {
		if prefix, ok := strings.CutSuffix(pattern, "*"); ok {
			return strings.HasPrefix(id, prefix)
		}
		return id == pattern
	})
}

// Session reports whether a session of a workflow with these labels is within the limit.
func (l Limit) Session(workflow string, labels map[string]string) bool {
	if !l.Workflow(workflow) {
		return false
	}
	for name, value := range l.Labels {
		if got, ok := labels[name]; !ok || got != value {
			return false
		}
	}
	return true
}

// With returns the labels of the limit added to given ones, and whether none contradicts.
func (l Limit) With(given map[string]string) (map[string]string, bool) {
	if len(l.Labels) == 0 {
		return given, true
	}
	all := maps.Clone(given)
	if all == nil {
		all = map[string]string{}
	}
	for name, value := range l.Labels {
		if got, ok := all[name]; ok && got != value {
			return nil, false
		}
		all[name] = value
	}
	return all, true
}

func (l Limit) check(scopes []string) error {
	if l.IsZero() {
		return nil
	}
	if slices.Contains(scopes, Admin) {
		return fmt.Errorf("%w: %s is the scope of what concerns the whole server; it cannot be limited", ErrInvalid, Admin)
	}
	if slices.Contains(scopes, RunCode) {
		return fmt.Errorf("%w: %s cannot be limited: a program of a step reads what its machine lets it read", ErrInvalid, RunCode)
	}
	for _, id := range l.Workflows {
		if strings.TrimSpace(id) == "" {
			return fmt.Errorf("%w: a workflow of the limit has no id", ErrInvalid)
		}
	}
	for name := range l.Labels {
		if name == "" {
			return fmt.Errorf("%w: a label of the limit has no name", ErrInvalid)
		}
	}
	return nil
}
