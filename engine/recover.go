package engine

import "github.com/stepgraph/stepgraph/engine/state"

// recoverCounters builds counters anew for a session that has lost them to somebody's
// hand: from its history, its chat and its inbox, so that no number is given twice.
func (r *runner) recoverCounters(rec SessionRecord) (*state.Counters, error) {
	c := state.NewCounters()
	c.See(r.claimed)
	for {
		page, err := r.e.store.Executions(r.ctx, r.id, HistoryQuery{After: c.Seq(), Limit: maxPage})
		if err != nil {
			return nil, err
		}
		for i := range page {
			c.Recover(page[i].Seq, 0)
			c.NoteVisit(page[i].Step, page[i].Visit)
		}
		if len(page) < maxPage {
			break
		}
	}
	newest, err := r.e.store.Messages(r.ctx, r.id, HistoryQuery{Newest: true, Limit: 1})
	if err != nil {
		return nil, err
	}
	if len(newest) > 0 {
		c.Recover(0, newest[0].N)
	}
	return c, nil
}
