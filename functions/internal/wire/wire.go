// Package wire holds what functions that speak HTTP share: reading a bounded body, and
// telling failures that may pass from those that stay.
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

// Read reads body to its end; more than limit bytes are an error that TooLarge knows.
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

// TooLarge tells whether Read gave up because of its limit.
func TooLarge(err error) bool { return errors.Is(err, errTooLarge) }

// Transient tells whether a request that was answered with status may be made again: too
// many requests, too early, a time out, or a failure of the server.
func Transient(status int) bool {
	switch status {
	case http.StatusRequestTimeout, http.StatusTooEarly, http.StatusTooManyRequests:
		return true
	}
	return status >= 500
}

// RetryAfter is how long the server asks to be left alone, 0 when it does not say; at most
// a day, since more is a mistake.
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

// Cause is an error of a request without the address, which may hold keys.
func Cause(err error) string {
	var request *url.Error
	if errors.As(err, &request) {
		err = request.Err
	}
	return err.Error()
}

// Ended is why ctx has ended: its error, so that a time out and a cancellation are known as
// such, with the cause that was given.
func Ended(ctx context.Context) error {
	if cause := context.Cause(ctx); cause != nil && !errors.Is(cause, ctx.Err()) {
		return fmt.Errorf("%w: %w", ctx.Err(), cause)
	}
	return ctx.Err()
}
