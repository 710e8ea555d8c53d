package flowiseapi

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"

	"github.com/stepgraph/stepgraph/compat/flowise"
	"github.com/stepgraph/stepgraph/vault"
)

// Secrets stores the credentials of a flow: the token of a flow published for MCP, and the
// secret with which callers of a webhook sign. Flowise stores them in the row of the flow.
// Here the row is part of the workflow, which is visible to everybody who may read workflows,
// is exported, and is kept in the log of edits. *vault.Vault implements it.
type Secrets interface {
	Value(name string) (value string, ok bool, err error)
	PutSecret(name, value string, s vault.Secret) error
	DeleteSecret(name string) error
}

// Kinds of secrets of flows.
const (
	mcpToken      = "MCP"
	webhookSecret = "WEBHOOK"
)

// secretName is a secret's name in the vault. Ids of flows have characters that names have not.
func secretName(kind, flow string) string {
	sum := sha256.Sum256([]byte(flow))
	return "FLOWISE_" + kind + "_" + hex.EncodeToString(sum[:16])
}

// secret is what is kept of a flow, "" for nothing.
func (f *chatflows) secret(kind, flow string) (string, error) {
	if f.o.Secrets == nil {
		return "", nil
	}
	value, _, err := f.o.Secrets.Value(secretName(kind, flow))
	return value, err
}

// keepSecret keeps a secret of a flow; "" removes it. No step can send it anywhere: its only
// host is one that never exists.
func (f *chatflows) keepSecret(kind, flow, value, about string) error {
	name := secretName(kind, flow)
	if value == "" {
		if err := f.o.Secrets.DeleteSecret(name); !errors.Is(err, vault.ErrSecretNotFound) {
			return err
		}
		return nil
	}
	return f.o.Secrets.PutSecret(name, value, vault.Secret{Hosts: []string{"flowise.invalid"}, Description: about + " of the flow " + flow})
}

// publishedOf is how a flow is a tool of an MCP server, with its token.
func (f *chatflows) publishedOf(c *chatflow) (flowise.Published, error) {
	p := c.published()
	var err error
	if p.Enabled && p.Token == "" {
		p.Token, err = f.secret(mcpToken, c.ID)
	}
	return p, err
}

// strip takes the secrets out of a row that is to be stored.
func (f *chatflows) strip(row *chatflowRow) error {
	if f.o.Secrets == nil {
		return nil
	}
	kept, err := f.secret(webhookSecret, row.ID)
	if err != nil {
		return err
	}
	given := givenSecret(row)
	row.WebhookSecretConfigured = given == nil && kept != "" || given != nil && *given != ""
	row.WebhookSecret = nil
	if p, ok := publishedIn(row); ok {
		return row.publish(p, "")
	}
	return nil
}

// detach keeps the secrets that a row came with.
func (f *chatflows) detach(row *chatflowRow) error {
	if f.o.Secrets == nil {
		return nil
	}
	if given := givenSecret(row); given != nil {
		if err := f.keepSecret(webhookSecret, row.ID, *given, "secret of the webhook"); err != nil {
			return err
		}
	}
	if p, ok := publishedIn(row); ok && p.Token != "" {
		return f.keepSecret(mcpToken, row.ID, p.Token, "MCP token")
	}
	return nil
}

// dropSecrets removes what was kept of a flow.
func (f *chatflows) dropSecrets(flow string) error {
	if f.o.Secrets == nil {
		return nil
	}
	return errors.Join(f.keepSecret(mcpToken, flow, "", ""), f.keepSecret(webhookSecret, flow, "", ""))
}

// givenSecret is the webhook's secret that a row came with; nil for none. Null is none: clients
// send back what they were shown.
func givenSecret(row *chatflowRow) (secret *string) {
	_ = json.Unmarshal(row.WebhookSecret, &secret)
	return secret
}

// shown is the row as a caller sees it: the token for those who may change the flow, and so
// could make another one; the secret of the webhook for nobody, as in Flowise.
func (f *chatflows) shown(ctx context.Context, c *chatflow) (chatflowRow, error) {
	row := c.row()
	row.WebhookSecretConfigured = row.WebhookSecretConfigured || stringOf(row.WebhookSecret) != ""
	row.WebhookSecret = nil
	p, ok := publishedIn(&row)
	if !ok {
		return row, nil
	}
	token := ""
	if f.o.MayEdit == nil || f.o.MayEdit(ctx) {
		full, err := f.publishedOf(c)
		if err != nil {
			return row, err
		}
		token = full.Token
	}
	return row, row.publish(p, token)
}

// stringOf is a JSON text, "" for any other value.
func stringOf(value json.RawMessage) (text string) {
	_ = json.Unmarshal(value, &text) // no text
	return text
}

// publishedIn reads the mcpServerConfig of a row; false where it has none.
func publishedIn(row *chatflowRow) (flowise.Published, bool) {
	var text string
	if json.Unmarshal(row.MCPServerConfig, &text) != nil || text == "" {
		return flowise.Published{}, false
	}
	return flowise.ReadPublished(text), true
}

// publish writes the mcpServerConfig of a row.
func (row *chatflowRow) publish(p flowise.Published, token string) error {
	p.Token = token
	text, err := json.Marshal(p)
	if err == nil {
		row.MCPServerConfig, err = json.Marshal(string(text))
	}
	return err
}
