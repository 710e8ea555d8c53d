package api

import (
	"context"
	"errors"
	"net/http"
	"reflect"
	"sync"
	"time"

	"github.com/stepgraph/stepgraph/access"
)

// recheckEvery is how often the token of a request that goes on is looked up again. It is a
// variable for tests.
var recheckEvery = 2 * time.Second

// whileAllowed returns a context that ends, with access.ErrEnded as its cause, when the token is
// no longer as it was when the request began: an event stream or a WebSocket lives for hours,
// and revoking a token has to end it. find looks the token up again.
//
// A timer per request costs nothing for the many that end before it fires. The caller calls
// stop when the request has ended.
func whileAllowed(ctx context.Context, t *access.Token, find func() *access.Token) (_ context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	next := func() time.Duration {
		if t.ExpiresAt.IsZero() {
			return recheckEvery
		}
		return min(recheckEvery, max(time.Until(t.ExpiresAt), 0))
	}
	var mu sync.Mutex
	var timer *time.Timer
	ended := false
	check := func() {
		mu.Lock()
		defer mu.Unlock()
		if ended {
			return
		}
		if !sameToken(t, find()) {
			cancel(access.ErrEnded)
			return
		}
		timer.Reset(next())
	}
	mu.Lock()
	timer = time.AfterFunc(next(), check)
	mu.Unlock()
	return ctx, func() {
		mu.Lock()
		defer mu.Unlock()
		ended = true
		timer.Stop()
		cancel(nil)
	}
}

// sameToken reports whether now allows what t allows. Another token of the same name is
// another token.
func sameToken(t, now *access.Token) bool {
	return now != nil && now.Hash == t.Hash && reflect.DeepEqual(now.Scopes, t.Scopes) && reflect.DeepEqual(now.Limit, t.Limit)
}

// watchToken is whileAllowed for the token that a request was sent with.
func (g *gate) watchToken(r *http.Request, t *access.Token, find func() *access.Token) (*http.Request, func()) {
	ctx, stop := whileAllowed(r.Context(), t, find)
	return r.WithContext(ctx), func() {
		if errors.Is(context.Cause(ctx), access.ErrEnded) {
			g.o.Log.Info("request ended with its token", "token", t.Name, "method", r.Method, "path", r.URL.Path, "from", r.RemoteAddr)
		}
		stop()
	}
}
