package api

import (
	"context"
	"net/http"
	"time"
)

// pingTimeout is how long the store may take to be ready.
const pingTimeout = 2 * time.Second

// healthz says that the process answers, whatever its database does.
func (s *server) healthz(w http.ResponseWriter, _ *http.Request) { writeStatus(w, "ok") }

// readyz asks the store, each time.
func (s *server) readyz(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), pingTimeout)
	defer cancel()
	if err := s.e.Store().Ping(ctx); err != nil {
		s.o.Log.WarnContext(r.Context(), "store is not ready", "error", err)
		problem("unavailable", "the store does not answer").write(w)
		return
	}
	writeStatus(w, "ready")
}

func writeStatus(w http.ResponseWriter, status string) {
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write([]byte(`{"status":"` + status + `"}` + "\n"))
}
