package api

import (
	"net/http"
)

// statusWriter remembers the status that went out.
type statusWriter struct {
	http.ResponseWriter
	status int
	// before, if set, is called once, with the status that is about to go out. When it fails
	// for a success, the client is answered 503 instead.
	before func(status int) error
	failed bool // what the handler writes is dropped
}

func (w *statusWriter) WriteHeader(status int) {
	if w.failed {
		return
	}
	if w.status == 0 && (status >= 200 || status == http.StatusSwitchingProtocols) {
		w.status = status
		if w.before != nil {
			if err := w.before(status); err != nil && status < http.StatusBadRequest {
				w.fail()
				return
			}
		}
	}
	w.ResponseWriter.WriteHeader(status)
}

// fail answers that the change was made and is not recorded. The client sends the request again,
// with the same key, so that it is.
func (w *statusWriter) fail() {
	w.failed, w.status = true, http.StatusServiceUnavailable
	w.Header().Del("Content-Length")
	problem("unavailable", errAudit.Error()+"; repeat the request with the same Idempotency-Key").write(w.ResponseWriter)
}

func (w *statusWriter) Write(b []byte) (int, error) {
	if w.status == 0 {
		w.WriteHeader(http.StatusOK)
	}
	if w.failed {
		return len(b), nil
	}
	return w.ResponseWriter.Write(b)
}

// Unwrap lets http.ResponseController reach flushing and deadlines.
func (w *statusWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func (w *statusWriter) statusOr200() int {
	if w.status == 0 {
		return http.StatusOK
	}
	return w.status
}
