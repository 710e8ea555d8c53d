package models

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
)

// Script is the name of the provider that returns recorded replies.
const Script = "script"

// A Provider is one entry of a Catalog.
type Provider struct {
	// Open creates the model when it is first needed. An error, such as a missing key, is not
	// cached: the next call tries again.
	Open func() (Model, error)
	// Default is the model id to use if none is named.
	Default string
	// Prefixes are the beginnings of model ids that this provider serves, such as "gpt-". They
	// are used to find the provider of a bare model id.
	Prefixes []string
	// Any means that the provider may serve every model id, as a self-hosted server does.
	Any bool
}

// An Endpoint is an OpenAI-compatible server that a workflow names.
type Endpoint struct {
	BaseURL string
	Key     string // the workflow's own; the operator's key is never sent to it
}

// CatalogOptions is the operator's choice of providers.
type CatalogOptions struct {
	// Default is the provider, provider/model or model that answers by default: "script",
	// "openai", "openai/gpt-4o" or "gpt-4o". Empty means script, but a workflow's own endpoint
	// then takes precedence: see Catalog.Endpoint.
	Default string
	// Enabled lists providers that workflows may name as "provider/model" in addition to the
	// default. Script is always enabled.
	Enabled []string
	// Aliases maps model names in workflows and imported flows to provider/model. The
	// providers that they name are enabled.
	Aliases map[string]string
	// Providers by name. Those that are neither the default nor enabled are never opened, even
	// if their keys are in the environment.
	Providers map[string]Provider
	// OpenEndpoint opens the endpoint that a workflow names; nil refuses all endpoints.
	OpenEndpoint func(Endpoint) (Model, error)
	// Wrap, if not nil, wraps every model that is opened (a Recorder).
	Wrap func(Model) Model
}

// A Catalog finds the model that answers a step. The rules:
//
//   - With script as the default, script answers every call; the name in the workflow is
//     passed as Request.Model and has no effect.
//   - A name in Aliases is replaced by its target.
//   - "provider/model" is answered by that provider if it is the default, is
//     enabled or is script.
//   - A model id is answered by the enabled provider that it belongs to, else by
//     the default. So "anthropic/claude-x" is a model id of the default provider
//     unless anthropic is enabled, which is what routers of models expect.
//   - No name means the default provider and the model chosen with it.
//
// It is safe for concurrent use.
type Catalog struct {
	options  CatalogOptions
	provider string // of the default
	model    string // of the default
	enabled  []string

	mu        sync.Mutex
	providers map[string]Model
	endpoints map[Endpoint]Model
}

// maxEndpoints limits how many endpoints stay open, because references can make any number of
// addresses.
const maxEndpoints = 256

// NewCatalog checks the options and opens the default provider, so that a wrong
// name and a missing key are found at the start and not by a session.
func NewCatalog(options CatalogOptions) (*Catalog, error) {
	c := &Catalog{options: options, providers: map[string]Model{}, endpoints: map[Endpoint]Model{}}
	var err error
	if c.provider, c.model, err = c.choose(options.Default); err != nil {
		return nil, err
	}
	for _, name := range options.Enabled {
		if _, ok := options.Providers[name]; !ok {
			return nil, fmt.Errorf("enabled model provider %q: no such provider; there are %s", name, c.names())
		}
	}
	c.enabled = append([]string{c.provider}, options.Enabled...)
	for _, alias := range slices.Sorted(maps.Keys(options.Aliases)) {
		to := options.Aliases[alias]
		provider, _, _ := strings.Cut(to, "/")
		if _, ok := options.Providers[provider]; !ok || provider == to {
			return nil, fmt.Errorf("model alias %q: %q is not PROVIDER/MODEL with one of the providers %s", alias, to, c.names())
		}
		if !slices.Contains(c.enabled, provider) {
			c.enabled = append(c.enabled, provider)
		}
	}
	if _, ok := options.Providers[Script]; ok {
		c.enabled = append(c.enabled, Script)
	}
	if _, err := c.opened(c.provider); err != nil {
		return nil, err
	}
	return c, nil
}

// Default returns the name of the default model: "script", or "provider/model".
func (c *Catalog) Default() string {
	if c.model == "" {
		return c.provider
	}
	return c.provider + "/" + c.model
}

// Model returns the model for a step that asks for name, which may be empty, and the model id
// for the request.
func (c *Catalog) Model(name string) (Model, string, error) {
	provider, model := c.resolve(name)
	m, err := c.opened(provider)
	return m, model, err
}

// ProviderOf returns the provider that answers a step that asks for name, which may be empty.
func (c *Catalog) ProviderOf(name string) string {
	provider, _ := c.resolve(name)
	return provider
}

// Endpoint returns the model at an address that a workflow names. If the operator chose script
// explicitly, script answers instead, as it does every other call; if script is only the
// unchanged default, the workflow's endpoint is used.
func (c *Catalog) Endpoint(at Endpoint) (Model, error) {
	if c.options.Default != "" && c.provider == Script {
		return c.opened(Script)
	}
	if c.options.OpenEndpoint == nil {
		return nil, fmt.Errorf("model endpoint %s: workflows may not name endpoints here", Host(at.BaseURL))
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.endpoints) >= maxEndpoints {
		clear(c.endpoints)
	}
	return once(c, c.endpoints, at, func() (Model, error) { return c.options.OpenEndpoint(at) })
}

// choose finds provider and model of the default.
func (c *Catalog) choose(name string) (provider, model string, err error) {
	if name == "" {
		name = Script
	}
	prefix, rest, _ := strings.Cut(name, "/")
	if p, ok := c.options.Providers[prefix]; ok {
		if rest == "" {
			rest = p.Default
		}
		return prefix, rest, nil
	}
	if owner := c.owner(name, slices.Sorted(maps.Keys(c.options.Providers))); owner != "" {
		return owner, name, nil
	}
	for _, provider := range slices.Sorted(maps.Keys(c.options.Providers)) {
		if c.options.Providers[provider].Any {
			return provider, name, nil
		}
	}
	return "", "", fmt.Errorf("model %q: no provider serves it; write PROVIDER/MODEL, with one of the providers %s", name, c.names())
}

func (c *Catalog) resolve(name string) (provider, model string) {
	switch {
	case c.provider == Script && name != "":
		return Script, name
	case name == "":
		return c.provider, c.model
	}
	if to, ok := c.options.Aliases[name]; ok {
		name = to
	}
	prefix, rest, _ := strings.Cut(name, "/")
	if slices.Contains(c.enabled, prefix) {
		return prefix, c.modelOf(prefix, rest)
	}
	if owner := c.owner(name, c.enabled); owner != "" {
		return owner, name
	}
	return c.provider, name
}

// modelOf returns the model id for a provider named without a model.
func (c *Catalog) modelOf(provider, model string) string {
	switch {
	case model != "":
		return model
	case provider == c.provider:
		return c.model
	}
	return c.options.Providers[provider].Default
}

// owner returns the first of the providers that a model id belongs to, or "".
func (c *Catalog) owner(model string, providers []string) string {
	for _, name := range providers {
		for _, prefix := range c.options.Providers[name].Prefixes {
			if strings.HasPrefix(model, prefix) {
				return name
			}
		}
	}
	return ""
}

func (c *Catalog) opened(provider string) (Model, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return once(c, c.providers, provider, c.options.Providers[provider].Open)
}

// once returns the cached model for key and opens it if there is none. Opening does not
// connect, so the lock is held meanwhile.
func once[K comparable](c *Catalog, models map[K]Model, key K, open func() (Model, error)) (Model, error) {
	if m, ok := models[key]; ok {
		return m, nil
	}
	m, err := open()
	if err != nil {
		return nil, err
	}
	if c.options.Wrap != nil {
		m = c.options.Wrap(m)
	}
	models[key] = m
	return m, nil
}

func (c *Catalog) names() string {
	return strings.Join(slices.Sorted(maps.Keys(c.options.Providers)), ", ")
}
