package flowiseapi

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/stepgraph/stepgraph/compat/flowise"
	"github.com/stepgraph/stepgraph/engine"
)

// The sessions of a conversation are found by their ids, which consist of the flow, the
// conversation, the day and a number: a search by label would scan all sessions each time a
// conversation begins.
const (
	rememberedDays = 400 // a conversation without a message for longer begins anew
	turnsAtOnce    = 400 // ids in one query to the store
)

// turnID is the id of the n-th session of a conversation on a day, from 1.
func turnID(flow, session, day string, n int) string {
	return flowise.StableID(flowise.Format, flow, session, day, strconv.Itoa(n))
}

// lastRun is the newest session of a conversation with a flow, nil when there is none.
func (f *turns) lastRun(ctx context.Context, t *flowTurn) (*engine.Session, error) {
	if t.begins {
		return nil, nil
	}
	ids := make([]string, rememberedDays)
	for i := range ids {
		ids[i] = turnID(t.flow.ID, t.session, dayOf(time.Now().AddDate(0, 0, 1-i)), 1) // another engine's clock may be ahead
	}
	last, err := f.newest(ctx, ids)
	if err != nil || last == nil {
		return nil, err
	}
	day, _ := turnOf(last)
	for from := 2; ; from += turnsAtOnce {
		ids := make([]string, turnsAtOnce)
		for i := range ids {
			ids[i] = turnID(t.flow.ID, t.session, day, from+i)
		}
		later, err := f.newest(ctx, ids)
		if err != nil || later == nil {
			return last, err
		}
		last = later
		if _, n := turnOf(last); n < from+turnsAtOnce-1 {
			return last, nil
		}
	}
}

// newest is the newest of some sessions of one conversation, nil when none of them is there.
// Their own numbers decide among those that began at the same moment.
func (f *turns) newest(ctx context.Context, ids []string) (*engine.Session, error) {
	found, _, err := f.e.Sessions(ctx, engine.SessionQuery{IDs: ids, Limit: 3})
	if err != nil || len(found) == 0 {
		return nil, err
	}
	best := &found[0]
	for i := range found {
		day, n := turnOf(&found[i])
		if bestDay, most := turnOf(best); found[i].CreatedAt.Equal(best.CreatedAt) && (day > bestDay || day == bestDay && n > most) {
			best = &found[i]
		}
	}
	return best, nil
}

func dayOf(at time.Time) string { return at.UTC().Format(time.DateOnly) }

// turnOf reads day and number of a session of a conversation.
func turnOf(s *engine.Session) (day string, n int) {
	day, number, _ := strings.Cut(s.Labels[flowise.LabelTurn], ".")
	n, _ = strconv.Atoi(number) // 0 for a session that a user has labelled
	return day, n
}

// byTurn orders the sessions of a conversation as they began.
func byTurn(a, b *engine.Session) int {
	day, n := turnOf(a)
	otherDay, other := turnOf(b)
	return cmp.Or(a.CreatedAt.Compare(b.CreatedAt), cmp.Compare(day, otherDay), cmp.Compare(n, other))
}

// beginTurn starts a session as the next one of a conversation. If another request has just
// begun that one, it is the one after.
func (f *turns) beginTurn(ctx context.Context, t *flowTurn, last *engine.Session, q engine.StartRequest) (*engine.Session, error) {
	day, n := dayOf(time.Now()), 1
	if last != nil {
		if before, number := turnOf(last); before >= day {
			day, n = before, number+1
		}
	}
	for ; ; n++ {
		q.ID = turnID(t.flow.ID, t.session, day, n)
		q.Labels[flowise.LabelTurn] = fmt.Sprint(day, ".", n)
		s, err := f.e.Start(ctx, q)
		if !errors.Is(err, engine.ErrSessionExists) {
			return s, err
		}
	}
}
