package faultlane

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/engine/retention"
	"github.com/stepgraph/stepgraph/engine/store"
	"github.com/stepgraph/stepgraph/sqlite"
)

// removedAfter is how long an ended session stays in a round with removal: longer than a client
// takes to see that it has ended.
const removedAfter = 6 * time.Second

// removedSome matches what prune says when it has removed sessions, also before it is cut off.
var removedSome = regexp.MustCompile(`removed(": ?| )[1-9]`)

// remove runs "stepgraph prune" beside the clients, each time at another engine, until ctx ends. A run
// that meets an engine's death fails; a later one completes it, once the engine has forgotten the first
// (half a minute). done is set when sessions were removed.
func (s *stage) remove(ctx context.Context, archive string, done *atomic.Bool) {
	program, err := binary()
	if err != nil {
		s.t.Error(err)
		return
	}
	for i := 0; ctx.Err() == nil; i++ {
		if all := s.fleet.addresses(); len(all) > 0 {
			run := exec.CommandContext(ctx, program, "prune", "--server", all[i%len(all)], "--older-than", removedAfter.String(), "--archive", archive, "-o", "json")
			text, err := run.CombinedOutput()
			if removedSome.Match(text) {
				done.Store(true)
			}
			if err != nil && ctx.Err() == nil {
				s.t.Logf("a removal was cut off: %v: %s", err, bytes.TrimSpace(text))
			}
		}
		last(ctx, 300*time.Millisecond)
	}
}

// archived reads a removed session from an archive as if it were still stored.
func archived(dir, id string) (*trace, error) {
	lines, err := retention.Read(dir, id)
	if err != nil {
		return nil, err
	}
	d := retention.Assemble(lines)
	if d.Session == nil {
		return nil, errors.New("the archive has no SESSION of it")
	}
	t := &trace{executions: d.Executions, messages: d.Messages, requests: d.Requests, removed: true,
		record: store.SessionRecord{ID: d.Session.ID, Workflow: d.Session.Workflow, Status: d.Session.Status, Version: d.Session.Version,
			Inbox: d.Session.Inbox, Root: d.Session.Root, State: d.Session.State, Counters: d.Session.Counters}}
	for i := range t.messages { // an archive has their numbers as part of the id: session/n
		if t.messages[i].N, err = strconv.ParseInt(strings.TrimPrefix(t.messages[i].ID, id+"/"), 10, 64); err != nil {
			return nil, fmt.Errorf("message %d: %w", i+1, err)
		}
	}
	return t, t.decode()
}

// TestRemovalBesideTraffic: ended sessions are archived and removed while clients start and answer
// others and engines are killed. Every session is either in the store or, whole, in the archive.
func TestRemovalBesideTraffic(t *testing.T) {
	t.Parallel()
	lane(t, "removal", wanted(t)/4, plan{faultKill: 2, faultTerm: 1}, plan{faultKill: 12, faultTerm: 4, faultFreeze: 1}, func(t *testing.T, r round) {
		file := filepath.Join(t.TempDir(), "stepgraph.db")
		r.flows, r.archive = nil, t.TempDir()
		r.engines = func(f *fleet) { f.add("sqlite:"+file, nil) }
		r.open = func(ctx context.Context) (engine.Store, error) { return sqlite.Open(ctx, file, sqlite.Options{}) }
		r.play(t)
	})
}
