package state

import "slices"

// undone are executions, by number, that a rollback has taken back.
type undone struct {
	From int64 `json:"from"`
	Last int64 `json:"last"`
}

// undo remembers what rollbacks have taken back.
type undo struct{ undone []undone }

// WasUndone reports whether a rollback had taken an execution back when the execution numbered
// `first` began.
func (all *undo) WasUndone(seq, first int64) bool {
	return slices.ContainsFunc(all.undone, func(u undone) bool {
		return u.Last < first && u.From <= seq && seq <= u.Last
	})
}

// noteUndone remembers executions that no longer count, so that a later fork or rollback
// does not take them for what happened. It takes the place of ranges that reach into it: what
// of them lies before it stands again.
func (all *undo) noteUndone(from, last int64) {
	var list []undone
	for _, u := range all.undone {
		if u.Last < from {
			list = append(list, u)
		}
	}
	if from <= last {
		list = append(list, undone{from, last})
	}
	all.undone = list
}
