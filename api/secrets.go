package api

import (
	"context"
	"net/http"

	"github.com/stepgraph/stepgraph/vault"
)

// A Secret is what may be known of a secret: never its value.
type Secret struct {
	vault.Origin
	vault.Secret
}

func secretOf(n vault.Named[vault.Secret]) Secret { return Secret{n.Origin, n.Entry} }

// AtSecret is embedded by what is addressed by a secret.
type AtSecret struct {
	Secret string `path:"secret" doc:"its name"`
}

// SecretBody sets a secret.
type SecretBody struct {
	Value string `json:"value" writeOnly:"true" minLength:"1" doc:"never given back by any route"`
	vault.Secret
}

type putSecretIn struct {
	AtSecret
	Body SecretBody
}

func (s *server) registerSecrets() {
	register(s, operation{id: "listSecrets", method: http.MethodGet, path: "/api/v1/secrets", tag: tagSettings,
		summary: "List secrets by name, without their values"}, s.listSecrets)
	register(s, operation{id: "getSecret", method: http.MethodGet, path: "/api/v1/secrets/{secret}", tag: tagSettings,
		summary: "Read what may be known of a secret", problems: []string{"secret_not_found"}}, s.getSecret)
	register(s, operation{id: "putSecret", method: http.MethodPut, path: "/api/v1/secrets/{secret}", tag: tagSettings,
		summary:  "Set a secret",
		about:    "Steps name it as `{\"secret\": \"NAME\"}` or `$NAME` in requests. It goes to its hosts alone, and into no state, history or log.",
		problems: []string{"fixed_by_configuration"}}, s.putSecret)
	register(s, operation{id: "deleteSecret", method: http.MethodDelete, path: "/api/v1/secrets/{secret}", tag: tagSettings,
		summary: "Remove a secret", problems: []string{"secret_not_found", "fixed_by_configuration"}}, s.deleteSecret)
}

func (s *server) listSecrets(context.Context, *empty) (*pageOut[Secret], error) {
	return listed(s.o.Vault.Secrets, secretOf)
}

func (s *server) getSecret(_ context.Context, in *AtSecret) (*struct{ Body Secret }, error) {
	return entry(s.o.Vault.Secret, in.Secret, secretOf)
}

func (s *server) putSecret(ctx context.Context, in *putSecretIn) (*struct{ Body Secret }, error) {
	before, _ := s.o.Vault.Secret(in.Secret)
	noteSetting(ctx, "putSecret", in.Secret, before.Entry, in.Body.Secret)
	if err := s.o.Vault.PutSecret(in.Secret, in.Body.Value, in.Body.Secret); err != nil {
		return nil, err
	}
	s.o.Log.InfoContext(ctx, "secret set", "secret", in.Secret)
	return entry(s.o.Vault.Secret, in.Secret, secretOf)
}

func (s *server) deleteSecret(ctx context.Context, in *AtSecret) (*empty, error) {
	before, _ := s.o.Vault.Secret(in.Secret)
	noteSetting(ctx, "deleteSecret", in.Secret, before.Entry, nil)
	err := s.o.Vault.DeleteSecret(in.Secret)
	if err == nil {
		s.o.Log.InfoContext(ctx, "secret removed", "secret", in.Secret)
	}
	return nil, err
}
