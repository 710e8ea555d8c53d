package main

import (
	"cmp"
	"log/slog"
	"os"
	"strings"

	"github.com/spf13/pflag"

	"github.com/stepgraph/stepgraph/access/people"
)

// oidcFlags are how people sign in.
type oidcFlags struct {
	issuer, client, secretFile, redirect, claim string
	scopes                                      []string
}

func (o *oidcFlags) register(f *pflag.FlagSet) {
	f.StringVar(&o.issuer, "oidc-issuer", "", "address of the OpenID Connect provider with which people sign in to Studio ($STEPGRAPH_OIDC_ISSUER)")
	f.StringVar(&o.client, "oidc-client-id", "", "id of this server at the provider ($STEPGRAPH_OIDC_CLIENT_ID)")
	f.StringVar(&o.secretFile, "oidc-client-secret-file", "", "file with the secret of this server at the provider ($STEPGRAPH_OIDC_CLIENT_SECRET_FILE)")
	f.StringVar(&o.redirect, "oidc-redirect-url", "", "address of /sign-in/oidc/callback as browsers reach it; that of the request by default ($STEPGRAPH_OIDC_REDIRECT_URL)")
	f.StringVar(&o.claim, "oidc-groups-claim", "", "claim of the ID token with the groups ($STEPGRAPH_OIDC_GROUPS_CLAIM, groups)")
	f.StringArrayVar(&o.scopes, "oidc-scope-map", nil, "GROUP=SCOPE,SCOPE: scopes of the members of a group; * is every signed-in person; may be repeated")
}

// open returns nil without a provider.
func (o *oidcFlags) open(env func(string) string, log *slog.Logger) (*people.SignIn, error) {
	issuer := cmp.Or(o.issuer, env("STEPGRAPH_OIDC_ISSUER"))
	if issuer == "" {
		return nil, nil
	}
	out := people.Options{Issuer: issuer, ClientID: cmp.Or(o.client, env("STEPGRAPH_OIDC_CLIENT_ID")), RedirectURL: cmp.Or(o.redirect, env("STEPGRAPH_OIDC_REDIRECT_URL")),
		GroupsClaim: cmp.Or(o.claim, env("STEPGRAPH_OIDC_GROUPS_CLAIM")), Scopes: map[string][]string{}, Log: log}
	if file := cmp.Or(o.secretFile, env("STEPGRAPH_OIDC_CLIENT_SECRET_FILE")); file != "" {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, usagef("--oidc-client-secret-file: %s", err)
		}
		out.ClientSecret = strings.TrimSpace(string(text))
	}
	for _, one := range o.scopes {
		group, scopes, ok := strings.Cut(one, "=")
		if !ok || group == "" || scopes == "" {
			return nil, usagef("--oidc-scope-map %s: want GROUP=SCOPE,SCOPE", one)
		}
		out.Scopes[group] = append(out.Scopes[group], strings.Split(scopes, ",")...)
	}
	in, err := people.New(out)
	if err != nil {
		return nil, usagef("--oidc-issuer: %s", err)
	}
	return in, nil
}
