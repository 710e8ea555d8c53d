package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/stepgraph/stepgraph/compat"
	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/functions"
	"github.com/stepgraph/stepgraph/functions/code"
	"github.com/stepgraph/stepgraph/functions/code/python"
	"github.com/stepgraph/stepgraph/functions/files"
	"github.com/stepgraph/stepgraph/functions/graph"
	"github.com/stepgraph/stepgraph/functions/isolation"
	"github.com/stepgraph/stepgraph/functions/mcp"
	"github.com/stepgraph/stepgraph/functions/netguard"
	"github.com/stepgraph/stepgraph/functions/shell"
	"github.com/stepgraph/stepgraph/models"
	"github.com/stepgraph/stepgraph/vault"
)

// registry holds what steps may call, and the models behind it. A mistake in the
// configuration is found here, before anything runs.
func (h *host) registry(s settings, o *outside) (*engine.Registry, *models.Catalog, error) {
	nets, err := networks(s.allowNet)
	if err != nil {
		return nil, nil, err
	}
	guarded := netguard.Guarded(nets)
	catalog, err := h.catalog(s, &http.Client{Transport: guarded}, o.recorder)
	if err != nil {
		return nil, nil, err
	}
	apart := isolation.Options{Level: s.isolate, Hide: h.ownFiles(s.store)}
	r := engine.NewRegistry()
	options := functions.Options{
		Models: catalog, AllowNet: prefixes(nets), Transport: guarded, Getenv: h.secretOrEnv(o.vault), Log: h.log,
		Profiles: h.profiles(o.vault),
		Schemas:  func() map[string]json.RawMessage { return h.config.Schemas },
		Code:     code.Options{Dir: h.config.Scripts, Python: python.Options{Path: h.config.Python, Isolation: apart}},
		Graph:    graph.Options{Querier: o.querier},
		Files:    files.Options{Dir: h.config.Folder, Hide: apart.Hide},
		Shell:    shell.Options{Allow: s.allowShell, Dir: h.config.Folder, Env: h.config.ShellEnv, Getenv: h.env, Isolation: apart},
	}
	functions.Standard(r, options)
	compat.Functions(r, options)
	r.Add(mcp.Spec(o.servers)) // here and not in Standard: whoever embeds the engine need not have MCP
	for _, name := range slices.Sorted(maps.Keys(h.config.Functions)) {
		spec, err := functions.Remote(name, h.config.Functions[name], functions.RemoteOptions{})
		if err != nil {
			return nil, nil, usagef("configuration %s: %s", h.file, err)
		}
		if strings.HasSuffix(name, ".*") || r.Find(name) == nil {
			r.Add(spec)
			continue
		}
		return nil, nil, usagef("configuration %s: functions: there is a function %q already", h.file, name)
	}
	return r, catalog, nil
}

// knownRegistry is the registry of commands that run nothing: doctor, validate, functions.
func (h *host) knownRegistry(s settings) (*engine.Registry, *models.Catalog, error) {
	o, err := h.openOutside(s, first(s.store, h.local.devStore()))
	if err != nil {
		return nil, nil, err
	}
	return h.registry(s, o)
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

// openEnv gives steps the environment variables that the configuration opens as NAME@HOST.
func (h *host) openEnv(name string, to *url.URL) (string, bool) {
	for _, open := range h.config.Env {
		if variable, host, _ := strings.Cut(open, "@"); variable == name && vault.HostServes(host, to) {
			return h.env(name), true
		}
	}
	return "", false
}

// checkEnv refuses an entry of env that does not say where its variable may go.
func (c *config) checkEnv() error {
	for _, open := range c.Env {
		name, host, bound := strings.Cut(open, "@")
		if name == "" || !bound {
			return fmt.Errorf("env: %q: want NAME@HOST, such as %s@api.example.com, or %s@* for every address", open, open, open)
		}
		if err := vault.CheckHost(host); err != nil {
			return fmt.Errorf("env: %q: %w", open, err)
		}
	}
	return nil
}
