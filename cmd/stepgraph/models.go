package main

import (
	"net/http"

	"github.com/stepgraph/stepgraph/models"
	"github.com/stepgraph/stepgraph/models/anthropic"
	"github.com/stepgraph/stepgraph/models/openai"
	"github.com/stepgraph/stepgraph/models/script"
	"github.com/stepgraph/stepgraph/seeds"
)

// catalog says which models answer. Without --model script answers, whatever keys stand
// in the environment: a key alone spends no money.
func (h *host) catalog(s settings, guarded *http.Client, recorder *models.Recorder) (*models.Catalog, error) {
	options := models.CatalogOptions{
		Default: s.model,
		Enabled: h.config.Models.Enabled,
		Aliases: h.config.Models.Aliases,
		Providers: map[string]models.Provider{
			models.Script: scriptProvider(s),
			"openai":      openai.Provider(openai.Options{Key: h.env("OPENAI_API_KEY"), BaseURL: h.env("OPENAI_BASE_URL")}),
			"anthropic":   anthropic.Provider(anthropic.Options{Key: h.env("ANTHROPIC_API_KEY"), BaseURL: h.env("ANTHROPIC_BASE_URL")}),
		},
		OpenEndpoint: func(at models.Endpoint) (models.Model, error) {
			return openai.New(openai.Options{BaseURL: at.BaseURL, Key: at.Key, HTTPClient: guarded})
		},
	}
	h.config.Models.addVendors(options.Providers, s.model, h.env)
	if options.Default == "" && s.script != "" {
		options.Default = models.Script
	}
	if recorder != nil {
		options.Wrap = recorder.Wrap
	}
	return models.NewCatalog(options)
}

// scriptProvider plays the given file, else the lines of our own workflows, which answer
// anything.
func scriptProvider(s settings) models.Provider {
	if s.script != "" {
		return script.Provider(s.script)
	}
	return models.Provider{Open: func() (models.Model, error) {
		file, err := script.Parse(seeds.Script())
		if err != nil {
			return nil, err
		}
		return script.New(file), nil
	}}
}
