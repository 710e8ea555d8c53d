package web

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
)

var errRedirects = fmt.Errorf("more than %d redirects", maxRedirects)

type sendingKey struct{}

// context returns a context that carries s to checkRedirect.
func (s *Sending) context(ctx context.Context) context.Context {
	return context.WithValue(ctx, sendingKey{}, s)
}

// checkRedirect follows a limited number of redirects. Headers with secrets are sent only to
// the first server, and its URL, whose query may contain secrets, is not sent as Referer.
func checkRedirect(next *http.Request, before []*http.Request) error {
	if len(before) > maxRedirects {
		return errRedirects
	}
	next.Header.Del("Referer")
	s, _ := next.Context().Value(sendingKey{}).(*Sending)
	if s == nil || origin(next.URL) == origin(before[0].URL) {
		return nil
	}
	for _, name := range s.confidential {
		next.Header.Del(name)
	}
	return nil
}

func origin(u *url.URL) string { return u.Scheme + "://" + u.Host }
