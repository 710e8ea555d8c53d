package retention

import (
	"context"
	"io"
	"time"

	"github.com/stepgraph/stepgraph/engine/store"
	"github.com/stepgraph/stepgraph/internal/sleep"
)

// A Source finds, shows and removes sessions: an engine of this process, or one behind its API.
type Source interface {
	FindEnded(ctx context.Context, q Query) (*Page, error)
	RemoveEnded(ctx context.Context, owner string, families []Family) error
	WriteDocument(ctx context.Context, id string, w io.Writer) error
}

// An Archive keeps sessions before they are removed.
type Archive interface {
	// Put writes families with the documents of all their sessions. When it returns they are
	// on disk.
	Put(ctx context.Context, families []Family, document func(ctx context.Context, id string, w io.Writer) error) error
	// Settle writes down what became of families that were put.
	Settle(families []Family) error
}

// A Pace limits the speed of Prune. The zero value works.
type Pace struct {
	PerSecond float64 // sessions a second at most; 0 for no bound
	Rest      float64 // 2: rests so many times as long as a removal took, so that a busy store is left alone for longer
	Report    func(Total)
}

// A Total is what Prune has done so far.
type Total struct {
	Looked   int            `json:"looked"`   // sessions that were read
	Found    int            `json:"found"`    // that may go, child sessions counted
	Removed  int            `json:"removed"`  // that are gone
	Archived int            `json:"archived"` // that were written to a file
	Spared   map[string]int `json:"spared,omitempty"`
	Of       map[string]int `json:"of,omitempty"` // found, by "workflow,status" of the topmost session
}

func (t *Total) add(p *Page) {
	t.Looked += p.Looked
	for i := range p.Families {
		f := &p.Families[i]
		t.Found += len(f.Marks)
		t.Of[f.Workflow+","+f.Status] += len(f.Marks)
		if f.Outcome == store.Removed {
			t.Removed += len(f.Marks)
		}
	}
	for reason, n := range p.Spared {
		t.Spared[reason] += n
	}
}

// Prune removes all sessions of a query, oldest first, page by page. With an archive, each
// session is on disk before it is removed. With dry it only counts.
func Prune(ctx context.Context, from Source, q Query, archive Archive, pace Pace, dry bool) (Total, error) {
	total := Total{Spared: map[string]int{}, Of: map[string]int{}}
	if pace.Rest == 0 {
		pace.Rest = 2
	}
	if dry {
		q.Owner = ""
	}
	for {
		page, err := from.FindEnded(ctx, q)
		if err != nil {
			return total, err
		}
		for list := page.Families; len(list) > 0 && !dry; {
			n := min(together, len(list))
			began := time.Now()
			if err := removeSome(ctx, from, q.Owner, archive, list[:n], &total); err != nil {
				return total, err
			}
			if err := pace.rest(ctx, time.Since(began), list[:n]); err != nil {
				return total, err
			}
			list = list[n:]
		}
		page.countSpared()
		total.add(page)
		if pace.Report != nil {
			pace.Report(total)
		}
		if page.Next == "" {
			return total, nil
		}
		q.After = page.Next
	}
}

func removeSome(ctx context.Context, from Source, owner string, archive Archive, list []Family, total *Total) error {
	if archive == nil {
		return from.RemoveEnded(ctx, owner, list)
	}
	if err := archive.Put(ctx, list, from.WriteDocument); err != nil {
		return err
	}
	for i := range list {
		total.Archived += len(list[i].Marks)
	}
	if err := from.RemoveEnded(ctx, owner, list); err != nil {
		return err
	}
	return archive.Settle(list)
}

func (p *Pace) rest(ctx context.Context, took time.Duration, list []Family) error {
	rest := time.Duration(float64(took) * p.Rest)
	if p.PerSecond > 0 {
		n := 0
		for i := range list {
			n += len(list[i].Marks)
		}
		rest = max(rest, time.Duration(float64(n)/p.PerSecond*float64(time.Second))-took)
	}
	return sleep.For(ctx, rest)
}
