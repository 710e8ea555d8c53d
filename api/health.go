package api

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"time"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/engine/store"
)

// pingTimeout is how long the store may take to be ready.
const pingTimeout = 2 * time.Second

// healthz says that the process answers, whatever its database does.
func healthz(w http.ResponseWriter, _ *http.Request) { writeStatus(w, "ok") }

// readyz asks the store, each time, and whether the engine gets through to it: a ping may
// take another connection than the one that the engine waits on, and reads none of its tables.
func readyz(e Engine, log *slog.Logger) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), pingTimeout)
		defer cancel()
		away, err := ping(ctx, e.Store())
		if err == nil {
			err = e.Working()
		}
		if err != nil {
			log.WarnContext(r.Context(), "store is not ready", "error", err)
			notReady(err).write(w)
			return
		}
		if len(away) > 0 { // the others are available, so the server accepts requests
			w.Header().Set("Content-Type", "application/json")
			_ = json.NewEncoder(w).Encode(map[string]any{"status": "ready", "unavailable": slices.Sorted(maps.Keys(away)), "reasons": away})
			return
		}
		writeStatus(w, "ready")
	}
}

// ping asks the store for an answer. A store of several databases is ready while one of them
// answers; away says of the others, by name, what kind of trouble they are in.
func ping(ctx context.Context, s engine.StoreView) (away map[string]string, err error) {
	several, ok := s.(store.Divided)
	if !ok {
		return nil, s.Ping(ctx)
	}
	list := several.Databases(ctx)
	away = map[string]string{}
	for _, d := range list {
		if d.Err != nil {
			away[d.Name], err = notReady(d.Err).Detail, d.Err
		}
	}
	if len(away) < len(list) {
		err = nil
	}
	return away, err
}

func writeStatus(w http.ResponseWriter, status string) {
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write([]byte(`{"status":"` + status + `"}` + "\n"))
}

// notReady says no more of the store than what kind of trouble it is in, and the numbers of its
// migrations, because requests have no token here.
func notReady(err error) *Problem {
	var wrong *engine.SchemaError
	switch {
	case errors.As(err, &wrong):
		return problem("schema", wrong.Error())
	case errors.Is(err, engine.ErrDiskFull):
		return problem("disk_full", "the disk of the store is full")
	case errors.Is(err, engine.ErrStoreDamaged):
		return problem("store_damaged", "the store is damaged")
	case errors.Is(err, engine.ErrNoLeader):
		return problem("no_leader", "the cluster of the store has no leader")
	case errors.Is(err, engine.ErrReadOnly):
		return problem("read_only", "the store is read-only")
	case errors.Is(err, engine.ErrStoreSlow), errors.Is(err, context.DeadlineExceeded):
		return problem("unavailable", "the store did not answer in time")
	}
	return problem("unavailable", "the store does not answer")
}
