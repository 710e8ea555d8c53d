package api

import (
	"context"

	"github.com/stepgraph/stepgraph/access"
)

type tokenKey struct{}

func withToken(ctx context.Context, t *access.Token) context.Context {
	return context.WithValue(ctx, tokenKey{}, t)
}

// tokenFrom is the token of a request; nil for one with every power.
func tokenFrom(ctx context.Context) *access.Token {
	t, _ := ctx.Value(tokenKey{}).(*access.Token)
	return t
}

const anonymousName = "anonymous"
