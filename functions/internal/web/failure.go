package web

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/functions/internal/wire"
	"github.com/stepgraph/stepgraph/functions/netguard"
)

// Error kinds in addition to those of package engine.
const (
	KindConnection = "connection" // no complete response
	KindStatus     = "status"     // a response with a status of 400 or above
	KindRequest    = "request"    // the request cannot be sent
)

// failed returns the error of a request without a complete response. It names only the host,
// since the rest of the URL may contain secrets.
func (s *Sending) failed(limited context.Context, err error, limit time.Duration) *function.CallError {
	fault := &function.CallError{Kind: KindConnection, Message: s.request.Method + " " + s.request.URL.Host + ": "}
	refused := netguard.Refusal(err)
	var unknown *net.DNSError
	var certificate *tls.CertificateVerificationError
	switch {
	case refused != nil:
		fault.Kind, fault.Message = function.KindDisabled, fault.Message+refused.Error()
	case limited.Err() != nil:
		fault.Kind, fault.Transient, fault.Message = function.KindTimeout, true, fault.Message+fmt.Sprintf("no answer within %s", limit)
	case errors.Is(err, errRedirects):
		fault.Kind, fault.Message = "redirects", fault.Message+errRedirects.Error()
	case errors.As(err, &certificate):
		fault.Message += certificate.Error()
	case errors.As(err, &unknown) && unknown.IsNotFound:
		fault.Message += "no such host"
	default:
		fault.Transient, fault.Message = true, fault.Message+wire.Cause(err)
	}
	fault.Message = s.secrets.mask(fault.Message)
	return fault
}

// status returns the error of a response with a status of 400 or above, nil for a lower one.
func status(response *http.Response) *function.CallError {
	if response.StatusCode < 400 {
		return nil
	}
	return &function.CallError{
		Kind:       KindStatus,
		Message:    fmt.Sprintf("HTTP %d %s", response.StatusCode, http.StatusText(response.StatusCode)),
		Transient:  wire.Transient(response.StatusCode),
		RetryAfter: wire.RetryAfter(response.Header, time.Now()),
	}
}

// TooLarge returns the error of a response above MaxBody.
func TooLarge() *function.CallError {
	return &function.CallError{Kind: function.KindTooLarge, Message: fmt.Sprintf("the answer is larger than %d bytes", MaxBody)}
}

// refused returns the error of a request that cannot be sent.
func refused(format string, args ...any) *function.CallError {
	return &function.CallError{Kind: KindRequest, Message: fmt.Sprintf(format, args...)}
}

// bad returns the error of an input that is wrong whatever the data are.
func bad(format string, args ...any) *function.CallError {
	return &function.CallError{Kind: function.KindBadInput, Message: fmt.Sprintf(format, args...)}
}

func shortened(text string) string {
	if runes := []rune(text); len(runes) > 100 {
		return string(runes[:100]) + "…"
	}
	return text
}
