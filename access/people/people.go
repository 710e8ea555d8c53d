// Package people signs people in with an OpenID Connect provider: authorization code flow with
// PKCE and nonce, and a session cookie afterwards. Programs use tokens.
//
// Sessions are kept in memory: signing out ends one at once, and a restart ends all. A cookie
// that holds the claims itself would outlive both. Several servers behind a balancer need
// sticky sessions.
package people

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"github.com/stepgraph/stepgraph/access"
)

// Options describe the provider.
type Options struct {
	Issuer       string
	ClientID     string
	ClientSecret string
	RedirectURL  string              // address of /sign-in/oidc/callback; by default that of the request
	GroupsClaim  string              // groups by default
	Scopes       map[string][]string // by group; "*" is for everybody who can sign in
	Lifetime     time.Duration       // of a session; 12 h by default
	HTTPClient   *http.Client        // one with a timeout by default
	Log          *slog.Logger
}

// A SignIn keeps who is signed in. It may be used by several goroutines.
type SignIn struct {
	o Options

	begun    *sealer
	mu       sync.Mutex
	provider *oidc.Provider
	answered map[string]time.Time  // states whose answer has been used, or is being used, until they expire
	sessions map[[32]byte]signedIn // by hash of the cookie
}

type signedIn struct {
	token access.Token
	until time.Time
}

const (
	sessionCookie = "stepgraph_session"
	stateCookie   = "stepgraph_sign_in"
	beginTime     = 10 * time.Minute
	mostSessions  = 100_000
)

// New checks the options; the provider is asked when a person signs in, so that the server
// starts without it.
func New(o Options) (*SignIn, error) {
	if o.Issuer == "" || o.ClientID == "" {
		return nil, errors.New("issuer and client id are required")
	}
	if len(o.Scopes) == 0 {
		return nil, errors.New("no group has a scope, so every sign-in would be refused")
	}
	for group, scopes := range o.Scopes {
		for _, s := range scopes {
			if !slices.Contains(access.Scopes, s) {
				return nil, fmt.Errorf("group %s: scope %q is none of %s", group, s, strings.Join(access.Scopes, ", "))
			}
		}
	}
	if o.GroupsClaim == "" {
		o.GroupsClaim = "groups"
	}
	if o.Lifetime == 0 {
		o.Lifetime = 12 * time.Hour
	}
	if o.HTTPClient == nil {
		o.HTTPClient = &http.Client{Timeout: 10 * time.Second}
	}
	if o.Log == nil {
		o.Log = slog.Default()
	}
	return &SignIn{o: o, begun: newSealer(), answered: map[string]time.Time{}, sessions: map[[32]byte]signedIn{}}, nil
}

// Token is that of the person whose browser sends the request; nil for none. A page of another
// origin cannot use the cookie: not even by a GET, or from another port of the same host.
func (s *SignIn) Token(r *http.Request) *access.Token {
	cookie, err := r.Cookie(sessionCookie)
	if err != nil {
		return nil
	}
	if site := r.Header.Get("Sec-Fetch-Site"); site != "" && site != "same-origin" && site != "none" {
		return nil
	}
	key := sha256.Sum256([]byte(cookie.Value))
	s.mu.Lock()
	defer s.mu.Unlock()
	found, ok := s.sessions[key]
	if !ok || !time.Now().Before(found.until) {
		delete(s.sessions, key)
		return nil
	}
	return &found.token
}

// Start sends the browser to the provider.
func (s *SignIn) Start(w http.ResponseWriter, r *http.Request) {
	config, _, err := s.config(r)
	if err != nil {
		s.fail(w, r, http.StatusBadGateway, "the provider cannot be reached", err)
		return
	}
	one := begun{State: rand.Text(), Nonce: rand.Text(), Verifier: oauth2.GenerateVerifier(), Until: time.Now().Add(beginTime)}
	s.cookie(w, r, stateCookie, s.begun.seal(one), beginTime)
	http.Redirect(w, r, config.AuthCodeURL(one.State, oidc.Nonce(one.Nonce), oauth2.S256ChallengeOption(one.Verifier)), http.StatusFound)
}

// Callback takes the provider's answer, signs the person in and shows Studio.
func (s *SignIn) Callback(w http.ResponseWriter, r *http.Request) {
	// The cookie binds the answer to the browser that asked: a stolen answer is useless in another browser.
	one, err := s.begunBy(r)
	s.cookie(w, r, stateCookie, "", -1)
	if err != nil {
		s.fail(w, r, http.StatusBadRequest, "this sign-in was not started here, or it took longer than ten minutes", err)
		return
	}
	token, until, err := s.person(r, one)
	if err != nil {
		s.forget(one.State) // the sign-in failed
	}
	switch {
	case errors.Is(err, errNoScopes):
		s.fail(w, r, http.StatusForbidden, "you are signed in, and none of your groups has access", err)
		return
	case err != nil:
		s.fail(w, r, http.StatusUnauthorized, "the provider's answer was not accepted", err)
		return
	}
	value := rand.Text() + rand.Text()
	s.mu.Lock()
	for key, old := range s.sessions {
		if time.Now().After(old.until) {
			delete(s.sessions, key)
		}
	}
	full := len(s.sessions) >= mostSessions
	if !full {
		s.sessions[sha256.Sum256([]byte(value))] = signedIn{*token, until}
	}
	s.mu.Unlock()
	if full {
		s.fail(w, r, http.StatusServiceUnavailable, "too many people are signed in", nil)
		return
	}
	s.o.Log.Info("signed in", "person", token.Name, "scopes", token.Scopes)
	s.cookie(w, r, sessionCookie, value, time.Until(until))
	w.Header().Set("Location", "../../")
	w.WriteHeader(http.StatusSeeOther)
}

// begunBy reads the sign-in that a browser has begun, and marks it as answered: every
// other answer to the same sign-in is refused, also one that arrives at the same time.
func (s *SignIn) begunBy(r *http.Request) (begun, error) {
	cookie, err := r.Cookie(stateCookie)
	if err != nil {
		return begun{}, err
	}
	one, err := s.begun.open(cookie.Value)
	now := time.Now()
	switch {
	case err != nil:
		return begun{}, err
	case subtle.ConstantTimeCompare([]byte(one.State), []byte(r.FormValue("state"))) != 1:
		return begun{}, errors.New("the state is another one")
	case now.After(one.Until):
		return begun{}, errors.New("it took too long")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for state, until := range s.answered {
		if now.After(until) {
			delete(s.answered, state)
		}
	}
	if _, used := s.answered[one.State]; used {
		return begun{}, errors.New("the answer was used before")
	}
	s.answered[one.State] = one.Until
	return one, nil
}

// forget removes the mark of an answer that did not sign a person in, so that failed sign-ins
// take no memory.
func (s *SignIn) forget(state string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.answered, state)
}

// SignOut ends the session of the browser.
func (s *SignIn) SignOut(w http.ResponseWriter, r *http.Request) {
	if cookie, err := r.Cookie(sessionCookie); err == nil {
		s.mu.Lock()
		delete(s.sessions, sha256.Sum256([]byte(cookie.Value)))
		s.mu.Unlock()
	}
	s.cookie(w, r, sessionCookie, "", -1)
	w.WriteHeader(http.StatusNoContent)
}

var errNoScopes = errors.New("no group of the person has a scope")

// person exchanges the code and reads who it is for.
func (s *SignIn) person(r *http.Request, one begun) (*access.Token, time.Time, error) {
	var none time.Time
	config, provider, err := s.config(r)
	if err != nil {
		return nil, none, err
	}
	if fault := r.FormValue("error"); fault != "" {
		return nil, none, fmt.Errorf("the provider says %q", fault)
	}
	ctx := oidc.ClientContext(r.Context(), s.o.HTTPClient)
	answer, err := config.Exchange(ctx, r.FormValue("code"), oauth2.VerifierOption(one.Verifier))
	if err != nil {
		return nil, none, err
	}
	raw, _ := answer.Extra("id_token").(string)
	id, err := provider.Verifier(&oidc.Config{ClientID: s.o.ClientID}).Verify(ctx, raw)
	if err != nil {
		return nil, none, err
	}
	if subtle.ConstantTimeCompare([]byte(id.Nonce), []byte(one.Nonce)) != 1 {
		return nil, none, errors.New("the nonce is another one")
	}
	var claims map[string]any
	if err := id.Claims(&claims); err != nil {
		return nil, none, err
	}
	scopes := s.scopes(claims[s.o.GroupsClaim])
	if len(scopes) == 0 {
		return nil, none, fmt.Errorf("%w: %s", errNoScopes, id.Subject)
	}
	name := id.Subject
	if email, ok := claims["email"].(string); ok && claims["email_verified"] == true {
		name = email
	}
	now := time.Now()
	return &access.Token{Name: "oidc:" + name, Scopes: scopes, CreatedAt: now.UTC()}, now.Add(s.o.Lifetime), nil
}

// scopes are those of a person's groups.
func (s *SignIn) scopes(claim any) (all []string) {
	groups := []string{"*"}
	switch claim := claim.(type) {
	case string:
		groups = append(groups, claim)
	case []any:
		for _, one := range claim {
			if name, ok := one.(string); ok && name != "*" {
				groups = append(groups, name)
			}
		}
	}
	for _, group := range groups {
		all = append(all, s.o.Scopes[group]...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// config asks the provider where its routes are, once.
func (s *SignIn) config(r *http.Request) (*oauth2.Config, *oidc.Provider, error) {
	s.mu.Lock()
	provider := s.provider
	s.mu.Unlock()
	if provider == nil {
		var err error
		// The provider keeps the context for fetching keys later, so it is not that of the request.
		provider, err = oidc.NewProvider(oidc.ClientContext(context.WithoutCancel(r.Context()), s.o.HTTPClient), s.o.Issuer)
		if err != nil {
			return nil, nil, err
		}
		s.mu.Lock()
		s.provider = provider
		s.mu.Unlock()
	}
	redirect := s.o.RedirectURL
	if redirect == "" {
		at := url.URL{Scheme: "http", Host: r.Host, Path: "/sign-in/oidc/callback"}
		if r.TLS != nil {
			at.Scheme = "https"
		}
		redirect = at.String()
	}
	return &oauth2.Config{ClientID: s.o.ClientID, ClientSecret: s.o.ClientSecret, Endpoint: provider.Endpoint(), RedirectURL: redirect,
		Scopes: []string{oidc.ScopeOpenID, "profile", "email", s.o.GroupsClaim}}, provider, nil
}

func (s *SignIn) cookie(w http.ResponseWriter, r *http.Request, name, value string, lasts time.Duration) {
	age := int(lasts.Seconds())
	if value == "" {
		age = -1
	}
	http.SetCookie(w, &http.Cookie{Name: name, Value: value, Path: "/", MaxAge: age, HttpOnly: true, SameSite: http.SameSiteLaxMode,
		Secure: r.TLS != nil || strings.HasPrefix(s.o.RedirectURL, "https://")})
}

func (s *SignIn) fail(w http.ResponseWriter, r *http.Request, status int, text string, err error) {
	s.o.Log.Warn("sign-in failed", "from", r.RemoteAddr, "status", status, "error", err)
	http.Error(w, text, status)
}
