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

func (r *settingRoutes) registerSecrets() {
	register(r.routeTable, operation{id: "listSecrets", method: http.MethodGet, path: "/api/v1/secrets", tag: tagSettings,
		summary: "List secrets by name, without their values"}, r.listSecrets)
	register(r.routeTable, operation{id: "getSecret", method: http.MethodGet, path: "/api/v1/secrets/{secret}", tag: tagSettings,
		summary: "Read what may be known of a secret", problems: []string{"secret_not_found"}}, r.getSecret)
	register(r.routeTable, operation{id: "putSecret", method: http.MethodPut, path: "/api/v1/secrets/{secret}", tag: tagSettings,
		summary:  "Set a secret",
		about:    "Steps name it as `{\"secret\": \"NAME\"}` or `$NAME` in requests. It goes to its hosts alone, and into no state, history or log.",
		problems: []string{"fixed_by_configuration"}}, r.putSecret)
	register(r.routeTable, operation{id: "deleteSecret", method: http.MethodDelete, path: "/api/v1/secrets/{secret}", tag: tagSettings,
		summary: "Remove a secret", problems: []string{"secret_not_found", "fixed_by_configuration"}}, r.deleteSecret)
}

func (r *settingRoutes) listSecrets(context.Context, *empty) (*pageOut[Secret], error) {
	return listed(r.vault.Secrets, secretOf)
}

func (r *settingRoutes) getSecret(_ context.Context, in *AtSecret) (*struct{ Body Secret }, error) {
	return entry(r.vault.Secret, in.Secret, secretOf)
}

func (r *settingRoutes) putSecret(ctx context.Context, in *putSecretIn) (*struct{ Body Secret }, error) {
	before, _ := r.vault.Secret(in.Secret)
	noteSetting(ctx, "putSecret", in.Secret, before.Entry, in.Body.Secret)
	if err := r.vault.PutSecret(in.Secret, in.Body.Value, in.Body.Secret); err != nil {
		return nil, err
	}
	r.log.InfoContext(ctx, "secret set", "secret", in.Secret)
	return entry(r.vault.Secret, in.Secret, secretOf)
}

func (r *settingRoutes) deleteSecret(ctx context.Context, in *AtSecret) (*empty, error) {
	before, _ := r.vault.Secret(in.Secret)
	noteSetting(ctx, "deleteSecret", in.Secret, before.Entry, nil)
	err := r.vault.DeleteSecret(in.Secret)
	if err == nil {
		r.log.InfoContext(ctx, "secret removed", "secret", in.Secret)
	}
	return nil, err
}
