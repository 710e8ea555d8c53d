package main

import (
	"cmp"
	"context"
	"os/user"
	"time"

	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/engine/store"
)

// keptAudit is how long entries are kept by default.
const keptAudit = 90 * 24 * time.Hour

// auditKeep reads how long entries are kept; 0 is for no trail in the store.
func (h *host) auditKeep(flag string) (time.Duration, error) {
	text := cmp.Or(flag, h.env("STEPGRAPH_AUDIT_KEEP"), h.config.AuditKeep)
	switch text {
	case "":
		return keptAudit, nil
	case "off":
		return 0, nil
	}
	keep, err := function.ParseDuration(text)
	if err == nil && keep < time.Minute {
		return 0, usagef("--audit-keep is %s, want at least a minute, or off", text)
	}
	if err != nil {
		return 0, usagef("--audit-keep: %s", err)
	}
	return keep, nil
}

// Bounds of the removal: entries of one transaction, and the pause between two, so that removing a
// trail of years does not block the writes of sessions.
const (
	forgetAtOnce = 1000
	forgetPause  = 100 * time.Millisecond
	forgetEvery  = time.Hour
)

// forgetAudit removes old entries for as long as ctx lasts.
func (h *host) forgetAudit(ctx context.Context, trail store.Audit, keep time.Duration) {
	for {
		pause := forgetEvery
		n, err := trail.ForgetAudit(ctx, time.Now().Add(-keep), forgetAtOnce)
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			h.log.Warn("old audit entries cannot be removed", "error", err)
		case n == forgetAtOnce:
			pause = forgetPause
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return
		}
	}
}

// localCaller is who uses a store without a server: the user of the machine.
func localCaller() string {
	if u, err := user.Current(); err == nil {
		return "local:" + u.Username
	}
	return "local"
}
