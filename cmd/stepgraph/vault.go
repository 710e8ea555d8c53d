package main

import (
	"fmt"
	"net/url"
	"os"

	"github.com/stepgraph/stepgraph/functions/generate"
	"github.com/stepgraph/stepgraph/vault"
)

// A secretConfig says where the value of a secret is: the configuration file never holds it.
type secretConfig struct {
	Env         string   `json:"env,omitempty"`   // a variable of the environment
	File        string   `json:"file,omitempty"`  // a file, such as those that Docker and Kubernetes mount
	Hosts       []string `json:"hosts,omitempty"` // that requests may take it to; required
	Description string   `json:"description,omitempty"`
}

// openVault opens the profiles, variables and secrets of an engine on a store: those of the
// configuration, and those in a file next to the store.
func (h *host) openVault(store string) (*vault.Vault, error) {
	fixed := vault.Fixed{Profiles: h.config.Profiles, Variables: map[string]vault.Variable{}, Secrets: map[string]vault.FixedSecret{}}
	for name, value := range h.config.Variables {
		fixed.Variables[name] = vault.Variable{Value: value}
	}
	for name, s := range h.config.Secrets {
		value, err := h.secretValue(s)
		if err != nil {
			return nil, usagef("configuration %s: secrets: %s: %s", h.file, name, err)
		}
		known := vault.Secret{Hosts: s.Hosts, Description: s.Description}
		if err := known.CheckHosts(); err != nil {
			return nil, usagef("configuration %s: secrets: %s: %s", h.file, name, err)
		}
		fixed.Secrets[name] = vault.FixedSecret{Secret: known, Value: value}
	}
	file := h.local.vaultFile(store)
	v, err := vault.Open(vault.Options{File: file, Fixed: fixed})
	if err != nil {
		return nil, fmt.Errorf("profiles, variables and secrets: %w", err)
	}
	return v, nil
}

// vaultFile is where profiles, variables and secrets of a store are; "" for a store in memory.
func (l *local) vaultFile(store string) string {
	return l.fileBeside(store, "vault", first(l.env("STEPGRAPH_VAULT"), l.config.Vault))
}

func (h *host) secretValue(s secretConfig) (func() (string, error), error) {
	switch {
	case s.Env != "" && s.File != "":
		return nil, fmt.Errorf("give env or file, one of the two")
	case s.Env != "":
		return func() (string, error) { return h.env(s.Env), nil }, nil
	case s.File != "":
		return func() (string, error) {
			text, err := os.ReadFile(s.File)
			return string(text), err
		}, nil
	}
	return nil, fmt.Errorf("env, the variable of the environment that holds it, or file is missing")
}

// secretOrEnv gives steps the secrets of the vault and the variables of the environment that
// the configuration opens.
func (h *host) secretOrEnv(v *vault.Vault) func(name string, to *url.URL) (string, bool) {
	return func(name string, to *url.URL) (string, bool) {
		value, ok, err := v.Lookup(name, to)
		if err != nil {
			h.log.Warn("secret cannot be read", "secret", name, "error", err)
		}
		if ok {
			return value, true
		}
		return h.openEnv(name, to)
	}
}

// profiles are those of the vault as model calls take them.
func (h *host) profiles(v *vault.Vault) func() map[string]generate.Profile {
	return func() map[string]generate.Profile {
		all, err := v.Profiles()
		if err != nil {
			h.log.Warn("profiles cannot be read", "error", err)
		}
		out := make(map[string]generate.Profile, len(all))
		for _, n := range all {
			out[n.Name] = modelProfile(n.Entry)
		}
		return out
	}
}

func modelProfile(p vault.Profile) generate.Profile {
	return generate.Profile{
		Model: p.Model, System: p.System, Temperature: p.Temperature, TopP: p.TopP, MaxTokens: p.MaxTokens,
		ReasoningEffort: p.ReasoningEffort, Schema: p.Schema, SchemaName: p.SchemaName, Parameters: p.Parameters, Tools: p.Tools,
	}
}
