package api

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"time"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/functions/internal/wire"
	"github.com/stepgraph/stepgraph/functions/netguard"
)

var errRedirects = fmt.Errorf("more than %d redirects", maxRedirects)

type sendingKey struct{}

// context carries s to checkRedirect.
func (s *sending) context(ctx context.Context) context.Context {
	return context.WithValue(ctx, sendingKey{}, s)
}

// checkRedirect follows a few redirects. What holds secrets goes no further than the server
// it was meant for; neither does the address, whose query may hold some, as a Referer.
func checkRedirect(next *http.Request, before []*http.Request) error {
	if len(before) > maxRedirects {
		return errRedirects
	}
	next.Header.Del("Referer")
	s, _ := next.Context().Value(sendingKey{}).(*sending)
	if s == nil || origin(next.URL) == origin(before[0].URL) {
		return nil
	}
	for _, name := range s.confidential {
		next.Header.Del(name)
	}
	return nil
}

func origin(u *url.URL) string { return u.Scheme + "://" + u.Host }

// failed is the error of a request that got no whole answer. It names the host only, since
// the rest of the address may hold secrets.
func (s *sending) failed(limited context.Context, err error, limit time.Duration) *engine.CallError {
	fault := &engine.CallError{Kind: "connection", Message: s.request.Method + " " + s.request.URL.Host + ": "}
	var blocked *netguard.BlockedError
	var unknown *net.DNSError
	var certificate *tls.CertificateVerificationError
	switch {
	case errors.As(err, &blocked):
		fault.Kind, fault.Message = "blocked", fault.Message+blocked.Error()
	case limited.Err() != nil:
		fault.Kind, fault.Transient, fault.Message = engine.KindTimeout, true, fault.Message+fmt.Sprintf("no answer within %s", limit)
	case errors.Is(err, errRedirects):
		fault.Kind, fault.Message = "redirects", fault.Message+errRedirects.Error()
	case errors.As(err, &certificate):
		fault.Message += certificate.Error()
	case errors.As(err, &unknown) && unknown.IsNotFound:
		fault.Message += "no such host"
	default:
		fault.Transient, fault.Message = true, fault.Message+wire.Cause(err)
	}
	fault.Message = s.secrets.blot(fault.Message)
	return fault
}

// refused is the fault of a request that cannot be sent.
func refused(format string, args ...any) *engine.CallError {
	return &engine.CallError{Kind: "request", Message: fmt.Sprintf(format, args...)}
}

// bad is the fault of an input that is wrong whatever the data.
func bad(format string, args ...any) *engine.CallError {
	return &engine.CallError{Kind: engine.KindBadInput, Message: fmt.Sprintf(format, args...)}
}

func shortened(text string) string {
	if runes := []rune(text); len(runes) > 100 {
		return string(runes[:100]) + "…"
	}
	return text
}
