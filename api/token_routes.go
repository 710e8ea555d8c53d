package api

import (
	"context"
	"net/http"
	"time"

	"github.com/stepgraph/stepgraph/access"
	"github.com/stepgraph/stepgraph/engine/function"
)

// TokenKeeper makes and revokes tokens; *access.File is one.
type TokenKeeper interface {
	Tokens
	List() ([]access.Token, error)
	Make(w access.Wish) (text string, t access.Token, err error)
	Revoke(name string) error
}

// A Token is what may be known of a token; its text is shown once, when it is made.
type Token struct {
	Name      string       `json:"name"`
	Scopes    []string     `json:"scopes"`
	Limit     access.Limit `json:"limit"`
	Quota     access.Quota `json:"quota"`
	CreatedAt time.Time    `json:"created_at"`
	ExpiresAt *time.Time   `json:"expires_at,omitempty" doc:"absent when it does not expire"`
}

// A MadeToken is a new token with its text.
type MadeToken struct {
	Token
	Text string `json:"token" doc:"what requests send; it is shown here and never again"`
}

// TokenBody describes a token to be made.
type TokenBody struct {
	Name    string        `json:"name" minLength:"1" maxLength:"64" example:"desk"`
	Scopes  []string      `json:"scopes" minItems:"1" doc:"of read, answer, operate, edit, run-code, admin"`
	Expires string        `json:"expires,omitempty" doc:"lifetime; unlimited by default" example:"720h"`
	Limit   *access.Limit `json:"limit,omitempty" doc:"the workflows and sessions that it is limited to; all by default"`
	Quota   *access.Quota `json:"quota,omitempty"`
}

type makeTokenIn struct {
	Keyed // a second request is refused by the token's name; no answer is kept, since it has the text
	Body  TokenBody
}

type atToken struct {
	Token string `path:"token" doc:"its name"`
}

func (r *tokenRoutes) registerTokens() {
	register(r.routeTable, operation{id: "listTokens", method: http.MethodGet, path: "/api/v1/tokens", tag: tagSettings,
		summary: "List tokens, without their texts"}, r.listTokens)
	register(r.routeTable, operation{id: "createToken", method: http.MethodPost, path: "/api/v1/tokens", tag: tagSettings, status: http.StatusCreated,
		summary: "Make a token", about: "The answer has its text, which is stored as a hash and cannot be read again.",
		problems: []string{"token_exists", "token_invalid", "no_tokens"}}, r.createToken)
	register(r.routeTable, operation{id: "revokeToken", method: http.MethodDelete, path: "/api/v1/tokens/{token}", tag: tagSettings,
		summary: "Revoke a token", about: "It is refused from the next request on.", problems: []string{"token_not_found", "no_tokens"}}, r.revokeToken)
}

func (r *tokenRoutes) tokenKeeper() (TokenKeeper, error) {
	if keeper, ok := r.tokens.(TokenKeeper); ok {
		return keeper, nil
	}
	return nil, errNoTokens
}

func tokenOfFile(t access.Token) Token {
	out := Token{Name: t.Name, Scopes: t.Scopes, Limit: t.Limit, Quota: t.Quota, CreatedAt: t.CreatedAt}
	if !t.ExpiresAt.IsZero() {
		out.ExpiresAt = &t.ExpiresAt
	}
	return out
}

func (r *tokenRoutes) listTokens(context.Context, *empty) (*pageOut[Token], error) {
	keeper, err := r.tokenKeeper()
	if err != nil {
		return pageOf[Token](nil, ""), nil
	}
	all, err := keeper.List()
	items := make([]Token, len(all))
	for i, t := range all {
		items[i] = tokenOfFile(t)
	}
	return pageOf(items, ""), err
}

func (r *tokenRoutes) createToken(ctx context.Context, in *makeTokenIn) (*struct{ Body MadeToken }, error) {
	keeper, err := r.tokenKeeper()
	if err != nil {
		return nil, err
	}
	w := access.Wish{Name: in.Body.Name, Scopes: in.Body.Scopes}
	if in.Body.Expires != "" {
		if w.Lifetime, err = function.ParseDuration(in.Body.Expires); err != nil {
			return nil, problem("request_invalid", "", Fault{Pointer: "/expires", Message: err.Error()})
		}
	}
	if in.Body.Limit != nil {
		w.Limit = *in.Body.Limit
	}
	if in.Body.Quota != nil {
		w.Quota = *in.Body.Quota
	}
	text, t, err := keeper.Make(w)
	if err != nil {
		noteSetting(ctx, "createToken", in.Body.Name, nil, nil)
		return nil, err
	}
	made := tokenOfFile(t)
	noteSetting(ctx, "createToken", t.Name, nil, made)
	r.log.InfoContext(ctx, "token made", "token", t.Name)
	return &struct{ Body MadeToken }{MadeToken{made, text}}, nil
}

func (r *tokenRoutes) revokeToken(ctx context.Context, in *atToken) (*empty, error) {
	keeper, err := r.tokenKeeper()
	if err != nil {
		return nil, err
	}
	noteSetting(ctx, "revokeToken", in.Token, nil, nil)
	if err = keeper.Revoke(in.Token); err == nil {
		r.log.InfoContext(ctx, "token revoked", "token", in.Token)
	}
	return nil, err
}
