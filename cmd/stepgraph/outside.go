package main

import (
	"context"
	"encoding/json"
	"net/netip"
	"net/url"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/engine/store"
	"github.com/stepgraph/stepgraph/functions/graph"
	"github.com/stepgraph/stepgraph/functions/mcp"
	"github.com/stepgraph/stepgraph/functions/netguard"
	"github.com/stepgraph/stepgraph/models"
	"github.com/stepgraph/stepgraph/vault"
)

// An outside is what the functions of one engine reach in addition to its sessions.
type outside struct {
	vault    *vault.Vault
	servers  *mcp.Pool
	querier  func() graph.Querier
	recorder *models.Recorder // nil: replies of models are not recorded
}

// openOutside reads the vault of a store, and begins a pool of MCP servers, none of which
// starts before it is called.
func (h *host) openOutside(s settings, store string) (*outside, error) {
	v, err := h.openVault(store)
	if err != nil {
		return nil, err
	}
	nets, err := networks(s.allowNet)
	if err != nil {
		return nil, err
	}
	return &outside{vault: v, servers: mcp.NewPool(mcp.Options{Servers: h.config.MCP, AllowNet: prefixes(nets), Lookup: h.ownSecretOrEnv(v), Log: h.log})}, nil
}

// prefixes are the networks of rules. The addresses of MCP servers are the operator's own, so
// their ports need no opening.
func prefixes(rules []netguard.Rule) []netip.Prefix {
	all := make([]netip.Prefix, len(rules))
	for i, r := range rules {
		all[i] = r.Prefix
	}
	return all
}

// ownSecretOrEnv gives the configuration's own entries secrets of the vault and the whole
// environment: it is the operator who names them. to is nil for a command.
func (h *host) ownSecretOrEnv(v *vault.Vault) func(name string, to *url.URL) (string, bool) {
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

// querier gives the store of an engine where it understands Cypher. Steps ask it, which run
// only once the engine stands.
func (o *ownEngine) querier() graph.Querier {
	if q, ok := o.engine.Store().(graph.Querier); ok {
		return q
	}
	if _, several := o.engine.Store().(store.Divided); several {
		return queryOfSeveral{}
	}
	return nil
}

// variables are what references read as vars. One that cannot be read now is missing, and
// the step that needs it waits.
func (o *outside) variables() map[string]json.RawMessage {
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

// A queryOfSeveral refuses graph.query where there are several databases: its result would be that
// of one of them, and look like that of all.
type queryOfSeveral struct{}

var _ graph.Querier = queryOfSeveral{}

// ReadQuery implements graph.Querier.
func (queryOfSeveral) ReadQuery(context.Context, string, map[string]any, int) ([]map[string]any, error) {
	return nil, &engine.CallError{Kind: engine.KindDisabled, Err: engine.ErrNotOnThisStore,
		Message: "graph.query reads one database, and this server has several: which one is meant cannot be said here, so query that database with a client of its own"}
}
