package main

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/stepgraph/stepgraph/functions/generate"
	"github.com/stepgraph/stepgraph/vault"
)

// openVault opens the profiles, variables and secrets of an engine on a store: those of the
// configuration, and those in a file next to the store.
func (h *host) openVault(store string) (*vault.Vault, error) {
	fixed := vault.Fixed{Profiles: h.config.Profiles, Variables: map[string]vault.Variable{}, Secrets: map[string]vault.FixedSecret{}}
	for name, value := range h.config.Variables {
		fixed.Variables[name] = vault.Variable{Value: value}
	}
	for name, s := range h.config.Secrets {
		value, err := s.value(h.env)
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

// openEnv gives steps the environment variables that the configuration opens as NAME@HOST.
func (h *host) openEnv(name string, to *url.URL) (string, bool) {
	for _, open := range h.config.Env {
		if variable, host, _ := strings.Cut(open, "@"); variable == name && vault.HostServes(host, to) {
			return h.env(name), true
		}
	}
	return "", false
}
