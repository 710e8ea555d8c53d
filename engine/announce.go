package engine

import (
	"context"
	"encoding/json"
	"time"

	"github.com/stepgraph/stepgraph/internal/build"
)

// announceLoop writes every few seconds that the engine is running, which functions it has and what it holds.
func (b background) announceLoop(ctx context.Context) {
	announce := func() {
		if err := b.announce(ctx, ""); err != nil && ctx.Err() == nil {
			b.o.Log.Warn("announce the engine's functions", logError, err)
		}
	}
	announce()
	every(ctx, announceEvery, announce)
}

// sayGoodbye announces that the engine is draining or has stopped. Nothing depends on it.
func (b background) sayGoodbye(state string) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if err := b.announce(ctx, state); err != nil {
		b.o.Log.Debug("announce that the engine ends", logError, err)
	}
}

// An announcedLoad is the part of an announcement about the engine's load.
type announcedLoad struct {
	Sessions int `json:"sessions"`
	Waiting  int `json:"waiting"`
	Calls    int `json:"calls"`
	Queued   int `json:"queued"`
	Places   int `json:"places"`
	Slots    int `json:"slots"`
}

func (b background) announce(ctx context.Context, state string) error {
	l := b.Load()
	holds, err := json.Marshal(announcedLoad{l.Sessions, l.Waiting, l.Calls, l.Queued, l.Limits.Sessions, l.Limits.Calls})
	if err != nil {
		return err
	}
	a := Announcement{ID: b.id, Name: b.o.Name, Functions: functionNames(b.registry), Version: build.Version(), State: state, Holds: holds}
	return b.store.Announce(ctx, a, forgetEngines)
}
