package api

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"time"

	"github.com/stepgraph/stepgraph/engine"
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
		err := e.Store().Ping(ctx)
		if err == nil {
			err = e.Working()
		}
		if err != nil {
			log.WarnContext(r.Context(), "store is not ready", "error", err)
			notReady(err).write(w)
			return
		}
		writeStatus(w, "ready")
	}
}

func writeStatus(w http.ResponseWriter, status string) {
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write([]byte(`{"status":"` + status + `"}` + "\n"))
}

// notReady says no more of the store than what kind of trouble it is in, and the numbers of its
// migrations: whoever asks has shown no token.
func notReady(err error) *Problem {
	var wrong *engine.SchemaError
	switch {
	case errors.As(err, &wrong):
		return problem("schema", wrong.Error())
	case errors.Is(err, engine.ErrDiskFull):
		return problem("disk_full", "the disk of the store is full")
	case errors.Is(err, engine.ErrStoreDamaged):
		return problem("store_damaged", "the store is damaged")
	}
	return problem("unavailable", "the store does not answer")
}
