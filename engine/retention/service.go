package retention

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"time"

	"github.com/stepgraph/stepgraph/engine/store"
)

// Options say how long sessions stay after they have ended. The zero value keeps them for ever.
type Options struct {
	Keep      Keep
	Archive   string        // folder that takes sessions before they go; "" for none
	Every     time.Duration // 5 min: how often an engine looks for sessions that may go
	PerSecond float64       // 500: sessions that an engine removes a second at most
}

// A Service is the retention of one engine: it finds sessions that ended long enough ago, shows
// them, and archives and removes them. Engine.Retention makes one from the engine's options for the
// engine's own loop, for the API and for `stepgraph prune`.
//
// It keeps no state between calls. Of the engines that share a store only the one that has the duty of
// pruning removes sessions, and the store checks under its lock that a session has not changed.
type Service struct {
	Options
	Store interface {
		Store
		Reader
	}
	Rounds func(function string) bool // see WriteDocument
	Owner  string                     // of the duty of pruning
	Log    *slog.Logger
}

// A Request asks for sessions that ended long enough ago, or removes them.
type Request struct {
	Query // Keep nil: that of the Options
	// DryRun only finds: nothing is removed.
	DryRun bool
	// Families, if set, are what an earlier dry run found: they are removed as far as they are
	// still what they were, and nothing is looked for.
	Families []Family
	// End gives the duty of Owner back; nothing else is done.
	End bool
}

func (s *Service) remover() *Remover { return &Remover{Store: s.Store} }

// Prune removes one page of sessions that ended long enough ago, each with its child sessions,
// and returns them with their outcomes. Sessions that may still continue, and those with open
// items in a running batch, stay. It returns store.ErrDutyTaken while another caller prunes.
func (s *Service) Prune(ctx context.Context, q Request) (*Page, error) {
	if q.End {
		return &Page{}, s.remover().GiveBack(ctx, q.Owner)
	}
	if !q.DryRun && q.Owner == "" {
		q.Owner = s.Owner + " on request"
	}
	if q.Families != nil {
		page := &Page{Families: q.Families}
		return page, s.remover().RemoveEnded(ctx, q.Owner, page.Families)
	}
	if q.Keep == nil {
		q.Keep = s.Keep
	}
	page, err := s.remover().FindEnded(ctx, q.Query)
	if err != nil || q.DryRun {
		return page, err
	}
	return page, s.remover().RemoveEnded(ctx, q.Owner, page.Families)
}

// WriteDocument writes all there is of a session as lines of JSON, see Line.
func (s *Service) WriteDocument(ctx context.Context, id string, w io.Writer) error {
	return WriteDocument(ctx, s.Store, s.Rounds, id, w)
}

// own is a Source in this process.
type own struct {
	*Remover
	from   Reader
	rounds func(function string) bool
}

func (o own) WriteDocument(ctx context.Context, id string, w io.Writer) error {
	return WriteDocument(ctx, o.from, o.rounds, id, w)
}

// restFor keeps Run from taking more than a fifth of a writer's time: what people wait for goes
// on at the same time.
const restFor = 4

// Run removes sessions that are not kept any more until ctx ends. Of all engines on the store one
// does so at a time.
func (s *Service) Run(ctx context.Context) {
	if _, some := s.Keep.Shortest(); !some {
		return
	}
	every, rate := s.Every, s.PerSecond
	if every == 0 {
		every = 5 * time.Minute
	}
	if rate == 0 {
		rate = 500
	}
	for {
		total, err := s.once(ctx, rate)
		switch {
		case errors.Is(err, store.ErrDutyTaken) || ctx.Err() != nil:
		case err != nil:
			s.Log.Warn("sessions not removed", "error", err)
		case total.Removed > 0:
			s.Log.Info("sessions removed", "count", total.Removed, "archived", total.Archived)
		}
		select {
		case <-time.After(every):
		case <-ctx.Done():
			return
		}
	}
}

func (s *Service) once(ctx context.Context, rate float64) (total Total, err error) {
	r := s.remover()
	if err := r.Take(ctx, s.Owner); err != nil {
		return total, err
	}
	defer func() {
		give, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
		defer cancel()
		err = errors.Join(err, r.GiveBack(give, s.Owner))
	}()
	return RunThrough(ctx, own{r, s.Store, s.Rounds}, Query{Keep: s.Keep, Owner: s.Owner}, s.Archive, Pace{PerSecond: rate, Rest: restFor})
}
