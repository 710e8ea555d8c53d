package shard

import (
	"context"
	"sync"
)

// nameLocks let one caller at a time act for a name.
type nameLocks struct {
	mu   sync.Mutex
	held map[string]chan struct{}
}

// lock takes names that are in order, and returns how to give them back.
func (l *nameLocks) lock(ctx context.Context, names []string) (unlock func(), err error) {
	var mine []string
	unlock = func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		for _, name := range mine {
			close(l.held[name])
			delete(l.held, name)
		}
	}
	for _, name := range names {
		for {
			l.mu.Lock()
			if l.held == nil {
				l.held = map[string]chan struct{}{}
			}
			other := l.held[name]
			if other == nil {
				l.held[name] = make(chan struct{})
				mine = append(mine, name)
				l.mu.Unlock()
				break
			}
			l.mu.Unlock()
			select {
			case <-other:
			case <-ctx.Done():
				unlock()
				return nil, context.Cause(ctx)
			}
		}
	}
	return unlock, nil
}
