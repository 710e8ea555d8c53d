package api

import (
	"context"
	"crypto/sha256"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"
)

// replay answers a request that came before with what it was answered then.
func (t *routeTable) replay(c huma.Context, next func(huma.Context)) {
	key := c.Header(keyHeader)
	if !specOf(c.Operation()).replay || key == "" || len(key) > maxKey { // a long key is refused by its schema
		next(c)
		return
	}
	r, w := humachi.Unwrap(c)
	scope := callerOf(c.Context()) + " " + r.Method + " " + r.URL.EscapedPath() + " " + key
	k, mine := t.answers.begin(scope, requestHash(r))
	if !mine {
		t.answerAgain(c.Context(), w, k, requestHash(r), func() { t.replay(c, next) })
		return
	}
	kept := &recordingWriter{statusWriter: statusWriter{ResponseWriter: w}}
	defer func() { t.answers.finish(k, kept.status, w.Header().Clone(), kept.body.Bytes()) }()
	next(huma.WithContext(humachi.NewContext(c.Operation(), r, kept), c.Context()))
}

func (t *routeTable) answerAgain(ctx context.Context, w http.ResponseWriter, k *storedAnswer, hash [32]byte, again func()) {
	select {
	case <-k.done:
	case <-ctx.Done():
		t.problemOf(ctx, context.Cause(ctx)).write(w)
		return
	}
	switch {
	case k.status == 0:
		again()
	case k.hash != hash:
		problem("key_reused", "this Idempotency-Key was used before with another request to this route").write(w)
	default:
		for name, values := range k.header {
			w.Header()[name] = values
		}
		w.Header().Set(replayedHeader, "true")
		w.WriteHeader(k.status)
		_, _ = w.Write(k.body) // the client is gone: it will ask again
	}
}

// requestHash distinguishes two requests with the same key.
func requestHash(r *http.Request) [32]byte {
	h := sha256.New()
	h.Write([]byte(r.URL.RawQuery + "\n" + r.Header.Get("If-Match") + "\n"))
	if body, ok := r.Body.(readBody); ok {
		h.Write(body.text)
	}
	return [32]byte(h.Sum(nil))
}
