// Package wire contains code shared by the functions that use HTTP: reading a body of bounded
// size, and distinguishing transient from permanent failures.
package wire

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

var errTooLarge = errors.New("body is too large")

// Read reads body to its end; a body of more than limit bytes is an error that TooLarge
// recognises.
func Read(body io.Reader, limit int) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(body, int64(limit)+1))
	if err != nil {
		return nil, err
	}
	if len(text) > limit {
		return nil, errTooLarge
	}
	return text, nil
}

// TooLarge reports whether Read failed because of its limit.
func TooLarge(err error) bool { return errors.Is(err, errTooLarge) }

// Transient reports whether a request with this response status may be retried: too many
// requests, too early, a timeout, or a server error.
func Transient(status int) bool {
	switch status {
	case http.StatusRequestTimeout, http.StatusTooEarly, http.StatusTooManyRequests:
		return true
	}
	return status >= 500
}

// RetryAfter returns the time of the header Retry-After, 0 if there is none, at most one day.
func RetryAfter(header http.Header, now time.Time) time.Duration {
	value := header.Get("Retry-After")
	wait := time.Duration(0)
	if seconds, err := strconv.Atoi(value); err == nil {
		wait = time.Duration(min(seconds, 86400)) * time.Second
	} else if at, err := http.ParseTime(value); err == nil {
		wait = at.Sub(now)
	}
	return min(max(wait, 0), 24*time.Hour)
}

// Cause returns the text of a request error without the URL, which may contain keys.
func Cause(err error) string {
	var request *url.Error
	if errors.As(err, &request) {
		err = request.Err
	}
	return err.Error()
}

// Ended returns the error of a context that has ended, so that errors.Is recognises a timeout
// or a cancellation, together with its cause.
func Ended(ctx context.Context) error {
	if cause := context.Cause(ctx); cause != nil && !errors.Is(cause, ctx.Err()) {
		return fmt.Errorf("%w: %w", ctx.Err(), cause)
	}
	return ctx.Err()
}
