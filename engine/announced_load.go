package engine

import "cmp"

// An announcedLoad is the part of an announcement about the engine's load.
type announcedLoad struct {
	Sessions  int                     `json:"sessions"`
	Waiting   int                     `json:"waiting"`
	Calls     int                     `json:"calls"`
	Queued    int                     `json:"queued"`
	Places    int                     `json:"places"`
	Slots     int                     `json:"slots"`
	Functions map[string]FunctionLoad `json:"functions,omitempty"` // those that are called now
}

func newAnnouncedLoad(l Load) announcedLoad {
	return announcedLoad{l.Sessions, l.Waiting, l.Calls, l.Queued, l.Limits.Sessions, l.Limits.Calls, l.Functions}
}

// differs reports whether the load has changed since another announcement by as much as other
// engines have to know: a function's calls, or those that wait, by an eighth of its slots.
func (l announcedLoad) differs(from announcedLoad) bool {
	for name, now := range l.Functions {
		then := from.Functions[name]
		if 8*abs(now.Calls+now.Queued-then.Calls-then.Queued) >= max(now.Limit, 1) {
			return true
		}
	}
	for name, then := range from.Functions {
		if _, called := l.Functions[name]; !called && 8*(then.Calls+then.Queued) >= then.Limit {
			return true
		}
	}
	return false
}

func abs(n int) int { return max(n, -n) }

// slotsFor is how many calls of a function the engine can make at once: those it makes, and as
// many more as the limits of the function and of the engine allow. usual is the function's limit
// if nothing is said about it.
func (l announcedLoad) slotsFor(function string, usual int) int {
	f := l.Functions[function]
	return f.Calls + max(0, min(cmp.Or(f.Limit, usual)-f.Calls, l.Slots-l.Calls))
}
