package engine

import (
	"context"
	"encoding/json"
	"time"

	"github.com/stepgraph/stepgraph/engine/store"
	"github.com/stepgraph/stepgraph/internal/build"
)

// announceLoop writes that the engine is running, which functions it has and what it holds: every
// announceEvery, and sooner when its load has changed. It also gives work away that other engines
// have room for.
func (b background) announceLoop(ctx context.Context) {
	var last time.Time
	var said announcedLoad
	announce := func() {
		l := newAnnouncedLoad(b.Load())
		if time.Since(last) < announceEvery && !l.differs(said) {
			return
		}
		if err := b.announce(ctx, "", l); err != nil {
			if ctx.Err() == nil {
				b.o.Log.Warn("announce the engine's functions", logError, err)
			}
			return
		}
		last, said = time.Now(), l
	}
	announce()
	share := balance{background: b}
	every(ctx, balanceEvery, func() {
		announce()
		if err := share.shareWork(ctx); err != nil && ctx.Err() == nil {
			b.o.Log.Warn("share work with other engines", logError, err)
		}
	})
}

// sayGoodbye announces that the engine is draining or has stopped. Nothing depends on it.
func (b background) sayGoodbye(state string) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if err := b.announce(ctx, state, newAnnouncedLoad(b.Load())); err != nil {
		b.o.Log.Debug("announce that the engine ends", logError, err)
	}
}

func (b background) announce(ctx context.Context, state string, l announcedLoad) error {
	holds, err := json.Marshal(l)
	if err != nil {
		return err
	}
	a := store.Announcement{ID: b.id, Name: b.o.Name, Functions: functionNames(b.registry), Version: build.Version(), State: state, Holds: holds}
	return b.store.Announce(ctx, a, forgetEngines)
}
