package main

import (
	"encoding/json"
	"net/netip"
	"net/url"

	"github.com/stepgraph/stepgraph/functions/graph"
	"github.com/stepgraph/stepgraph/functions/mcp"
	"github.com/stepgraph/stepgraph/functions/netguard"
	"github.com/stepgraph/stepgraph/models"
	"github.com/stepgraph/stepgraph/vault"
)

// A resources is what the functions of one engine reach in addition to its sessions.
type resources struct {
	vault    *vault.Vault
	servers  *mcp.Pool
	querier  func() graph.Querier
	recorder *models.Recorder // nil: replies of models are not recorded
}

// openResources reads the vault of a store, and begins a pool of MCP servers, none of which
// starts before it is called.
func (h *host) openResources(s settings, store string) (*resources, error) {
	v, err := h.openVault(store)
	if err != nil {
		return nil, err
	}
	nets, err := networks(s.allowNet)
	if err != nil {
		return nil, err
	}
	return &resources{vault: v, servers: mcp.NewPool(mcp.Options{Servers: h.config.MCP, AllowNet: networkPrefixes(nets), Lookup: h.configSecretOrEnv(v), Log: h.log})}, nil
}

// networkPrefixes are the networks of rules. The addresses of MCP servers are the operator's own, so
// their ports need no opening.
func networkPrefixes(rules []netguard.Rule) []netip.Prefix {
	all := make([]netip.Prefix, len(rules))
	for i, r := range rules {
		all[i] = r.Prefix
	}
	return all
}

// configSecretOrEnv gives the configuration's own entries secrets of the vault and the whole
// environment: it is the operator who names them. to is nil for a command.
func (h *host) configSecretOrEnv(v *vault.Vault) func(name string, to *url.URL) (string, bool) {
	open := h.secretOrEnv(v)
	return func(name string, to *url.URL) (string, bool) {
		if to == nil {
			if value, ok, err := v.Value(name); err == nil && ok {
				return value, true
			}
		} else if value, ok := open(name, to); ok {
			return value, true
		}
		value := h.env(name)
		return value, value != ""
	}
}

// variables are what references read as vars. One that cannot be read now is missing, and
// the step that needs it waits.
func (o *resources) variables() map[string]json.RawMessage {
	listed, err := o.vault.Variables()
	if err != nil {
		return nil
	}
	values := make(map[string]json.RawMessage, len(listed))
	for _, v := range listed {
		values[v.Name] = v.Entry.Value
	}
	return values
}

// networks reads what --allow-net names: networks and addresses, each perhaps with a port.
func networks(list []string) ([]netguard.Rule, error) {
	var rules []netguard.Rule
	for _, text := range list {
		rule, err := netguard.ParseRule(text)
		if err != nil {
			return nil, usagef("--allow-net %s", err)
		}
		rules = append(rules, rule)
	}
	return rules, nil
}
