package main

import (
	"cmp"
	"encoding/json"
	"maps"
	"net/http"
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
)

// registry holds what steps may call, and the models behind it. A mistake in the
// configuration is found here, before anything runs.
func (h *host) registry(s settings, o *resources) (*engine.Registry, *models.Catalog, error) {
	nets, err := networks(s.allowNet)
	if err != nil {
		return nil, nil, err
	}
	guarded := netguard.Guarded(nets)
	catalog, err := h.catalog(s, &http.Client{Transport: guarded}, o.recorder)
	if err != nil {
		return nil, nil, err
	}
	separate := isolation.Options{Level: s.isolate, Hide: h.protectedFiles(s.store)}
	r := engine.NewRegistry()
	options := functions.Options{
		Models: catalog, AllowNet: networkPrefixes(nets), Transport: guarded, Getenv: h.secretOrEnv(o.vault), Log: h.log,
		Profiles: h.profiles(o.vault),
		Schemas:  func() map[string]json.RawMessage { return h.config.Schemas },
		Code:     code.Options{Dir: h.config.Scripts, Python: python.Options{Path: h.config.Python, Isolation: separate}},
		Graph:    graph.Options{Querier: o.querier},
		Files:    files.Options{Dir: h.config.Folder, Hide: separate.Hide},
		Shell:    shell.Options{Allow: s.allowShell, Dir: h.config.Folder, Env: h.config.ShellEnv, Getenv: h.env, Isolation: separate},
	}
	functions.Standard(r, options)
	compat.Functions(r, options)
	r.Add(mcp.Spec(o.servers)) // here and not in Standard: programs that embed the engine need not link MCP
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

// registryForChecks is the registry of commands that run nothing: doctor, validate, functions.
func (h *host) registryForChecks(s settings) (*engine.Registry, *models.Catalog, error) {
	o, err := h.openResources(s, cmp.Or(s.store, h.local.devStore()))
	if err != nil {
		return nil, nil, err
	}
	return h.registry(s, o)
}
