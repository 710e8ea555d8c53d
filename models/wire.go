package models

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

const (
	maxMessage    = 600            // characters of a provider's message that an Error keeps
	maxRetryAfter = 24 * time.Hour // a longer wait than this is a mistake of the server
)

// StatusError returns the Error for a response with a status of 400 and above. provider names
// the server, message is its error text, in which the secrets are masked. 429 and 5xx are
// transient, and so are 408, 409 (another attempt with this key is in progress) and 425.
func StatusError(provider string, status int, header http.Header, message string, secrets ...string) *Error {
	message = clean(message, secrets)
	if message == "" {
		message = strings.ToLower(http.StatusText(status))
	}
	kind, transient := classify(status)
	return &Error{
		Kind:       kind,
		Status:     status,
		Retryable:  transient,
		RetryAfter: RetryAfter(header, time.Now()),
		Message:    provider + ": " + message,
	}
}

func classify(status int) (kind string, transient bool) {
	switch {
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		return KindAuth, false
	case status == http.StatusNotFound:
		return KindNotFound, false
	case status == http.StatusTooManyRequests:
		return KindRateLimit, true
	case status == http.StatusRequestTimeout, status == http.StatusGatewayTimeout:
		return KindTimeout, true
	case status == http.StatusConflict, status == http.StatusTooEarly, status >= 500:
		return KindServer, true
	}
	return KindBadRequest, false
}

// TransportError returns the Error for a call with no response or an incomplete one. ctx is
// checked first: an exceeded deadline is a timeout, a cancellation is neither a fault of the
// provider nor transient. Of err only text without a URL is kept, since a URL may contain a
// password or key.
func TransportError(ctx context.Context, provider string, err error, secrets ...string) *Error {
	if ctx.Err() != nil {
		return contextError(ctx, provider)
	}
	var address *url.Error
	if errors.As(err, &address) {
		err = address.Err
	}
	var network net.Error
	switch {
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &network) && network.Timeout():
		return NewError(KindTimeout, true, provider+": no answer in time", nil)
	case errors.As(err, &network), broken(err):
		return NewError(KindConnection, true, provider+": no connection, or it broke: "+clean(err.Error(), secrets), nil)
	}
	return NewError(KindBadResponse, false, provider+": the answer cannot be read: "+clean(err.Error(), secrets), nil)
}

func contextError(ctx context.Context, provider string) *Error {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return NewError(KindTimeout, true, provider+": no answer in time", context.Cause(ctx))
	}
	cause := ctx.Err()
	if reason := context.Cause(ctx); !errors.Is(reason, cause) {
		cause = fmt.Errorf("%w: %w", cause, reason)
	}
	return NewError(KindCancelled, false, provider+": call cancelled", cause)
}

// broken reports whether a connection ended early; these errors are not net.Error.
func broken(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, net.ErrClosed) ||
		strings.Contains(err.Error(), "http2:") || strings.Contains(err.Error(), "transport connection broken")
}

// RetryAfter returns the delay that a server asks for: the header Retry-After-Ms, else
// Retry-After in seconds or as a date; 0 if there is no valid one.
func RetryAfter(header http.Header, now time.Time) time.Duration {
	if ms, err := strconv.ParseFloat(header.Get("Retry-After-Ms"), 64); err == nil {
		return bounded(ms * float64(time.Millisecond))
	}
	value := header.Get("Retry-After")
	if seconds, err := strconv.ParseFloat(value, 64); err == nil {
		return bounded(seconds * float64(time.Second))
	}
	if at, err := http.ParseTime(value); err == nil {
		return bounded(float64(at.Sub(now)))
	}
	return 0
}

// bounded also handles NaN: every comparison with it is false.
func bounded(d float64) time.Duration {
	if d > 0 {
		return time.Duration(min(d, float64(maxRetryAfter)))
	}
	return 0
}

// clean shortens a server's text to one line and masks the secrets in it: servers often quote
// the key that they refuse.
func clean(text string, secrets []string) string {
	for _, secret := range secrets {
		if secret != "" {
			text = strings.ReplaceAll(text, secret, "***")
		}
	}
	text = strings.Join(strings.Fields(strings.ToValidUTF8(text, "\uFFFD")), " ")
	if runes := []rune(text); len(runes) > maxMessage {
		text = string(runes[:maxMessage]) + "…"
	}
	return text
}

// Host returns the host of an address for messages: the rest of an address may
// hold a password or key.
func Host(address string) string {
	if u, err := url.Parse(address); err == nil && u.Host != "" {
		return u.Host
	}
	return "(an address without host)"
}

// HeaderValue encodes an idempotency key for a header: its ids may contain any text, and
// net/http accepts only visible ASCII.
func HeaderValue(key string) string {
	for i := range len(key) {
		if key[i] <= ' ' || key[i] > '~' {
			return url.PathEscape(key)
		}
	}
	return key
}
