package cypher

import (
	"context"
	"maps"
	"sync"
	"time"
)

// largeCounts keeps the counts of many sessions for a while. Neo4j counts by walking an index,
// which takes half a second for a million sessions, and Studio asks every few seconds. Counters in
// the graph would be locks that all sessions share, and edits by hand would leave them wrong. So a count of at least manySessions sessions is returned again for up to largeCountAge, and
// read again in the background before that. Smaller ones are read each time.
type largeCounts struct {
	mu   sync.Mutex
	kept map[string]*largeCount
	life context.Context
	stop context.CancelFunc
	work sync.WaitGroup
}

type largeCount struct {
	counts  map[string]int64
	at      time.Time     // when its read began
	took    time.Duration // that read
	reading bool          // the next is read
}

const (
	manySessions    = 50_000 // sessions
	largeCountAge   = time.Minute
	largeCountFresh = 5   // times as long as its read took
	mostLargeCounts = 500 // kept
)

func newLargeCounts() *largeCounts {
	l := &largeCounts{kept: map[string]*largeCount{}}
	l.life, l.stop = context.WithCancel(context.Background())
	return l
}

// close ends the reads under way.
func (l *largeCounts) close() {
	l.stop()
	l.work.Wait()
}

type readCounts func(context.Context) (map[string]int64, error)

// get returns the counts of a key, from memory or by read.
func (l *largeCounts) get(ctx context.Context, key string, read readCounts) (map[string]int64, error) {
	l.mu.Lock()
	if c := l.kept[key]; c != nil && time.Since(c.at) < largeCountAge {
		defer l.mu.Unlock()
		if !c.reading && time.Since(c.at) > largeCountFresh*c.took && l.life.Err() == nil {
			c.reading = true
			l.work.Go(func() { l.refresh(key, read) })
		}
		return maps.Clone(c.counts), nil
	}
	l.mu.Unlock()
	return l.read(ctx, key, read)
}

// refresh reads the counts of a key again. After an error the kept ones grow old.
func (l *largeCounts) refresh(key string, read readCounts) {
	ctx, cancel := context.WithTimeout(l.life, largeCountAge)
	defer cancel()
	if _, err := l.read(ctx, key, read); err != nil {
		l.mu.Lock()
		defer l.mu.Unlock()
		if c := l.kept[key]; c != nil {
			c.reading = false
		}
	}
}

func (l *largeCounts) read(ctx context.Context, key string, read readCounts) (map[string]int64, error) {
	began := time.Now()
	counts, err := read(ctx)
	if err != nil {
		return nil, err
	}
	total := int64(0)
	for _, n := range counts {
		total += n
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.kept) >= mostLargeCounts {
		clear(l.kept)
	}
	if delete(l.kept, key); total >= manySessions {
		l.kept[key] = &largeCount{counts: maps.Clone(counts), at: began, took: time.Since(began)}
	}
	return counts, nil
}
