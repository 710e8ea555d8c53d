package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/stepgraph/stepgraph/models"
	"github.com/stepgraph/stepgraph/models/openai"
)

// modelsConfig lists the providers of models in addition to the default. A list is the names of
// those that workflows may ask for.
type modelsConfig struct {
	Enabled   []string                  `json:"enabled"`   // names of providers
	Aliases   map[string]string         `json:"aliases"`   // model names of flows to PROVIDER/MODEL
	Providers map[string]providerConfig `json:"providers"` // more providers that speak OpenAI's API, by name
}

// providerConfig is a provider that speaks OpenAI's API.
type providerConfig struct {
	BaseURL  string   `json:"base_url"`
	KeyEnv   string   `json:"key_env"`  // variable of the environment that holds the key
	Prefixes []string `json:"prefixes"` // what the names of its models begin with
}

// UnmarshalJSON reads a list of names or an object.
func (m *modelsConfig) UnmarshalJSON(text []byte) error {
	if bytes.HasPrefix(bytes.TrimSpace(text), []byte("[")) {
		return json.Unmarshal(text, &m.Enabled)
	}
	type plain modelsConfig
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode((*plain)(m)); err != nil {
		return fmt.Errorf("models: %w", err)
	}
	for name, p := range m.Providers {
		if p.BaseURL == "" && vendors[name].BaseURL == "" {
			return fmt.Errorf("models.providers.%s: base_url is missing", name)
		}
	}
	return nil
}

// vendors are the providers with an API like OpenAI's that have a name of their own here. They are
// asked only where the configuration or --model names them.
var vendors = map[string]providerConfig{
	"gemini":     {"https://generativelanguage.googleapis.com/v1beta/openai", "GEMINI_API_KEY", []string{"gemini-"}},
	"groq":       {"https://api.groq.com/openai/v1", "GROQ_API_KEY", nil},
	"mistral":    {"https://api.mistral.ai/v1", "MISTRAL_API_KEY", []string{"mistral-", "ministral-", "open-mistral", "codestral-", "magistral-"}},
	"deepseek":   {"https://api.deepseek.com/v1", "DEEPSEEK_API_KEY", []string{"deepseek-"}},
	"openrouter": {"https://openrouter.ai/api/v1", "OPENROUTER_API_KEY", nil},
	"ollama":     {"http://127.0.0.1:11434/v1", "", nil},
}

// addVendors adds the vendors that are named: in the configuration, or by --model where no server of
// the operator's own (OPENAI_BASE_URL) may be meant, which takes names such as deepseek/chat too.
func (c *modelsConfig) addVendors(to map[string]models.Provider, model string, env func(string) string) {
	wanted := slices.Clone(c.Enabled)
	for name := range c.Providers {
		wanted = append(wanted, name)
	}
	for _, target := range c.Aliases {
		name, _, _ := strings.Cut(target, "/")
		wanted = append(wanted, name)
	}
	if name, _, _ := strings.Cut(model, "/"); env("OPENAI_BASE_URL") == "" {
		wanted = append(wanted, name)
	}
	for _, name := range wanted {
		vendor, known := vendors[name]
		own, configured := c.Providers[name]
		if !known && !configured {
			continue
		}
		vendor.BaseURL = cmp.Or(own.BaseURL, vendor.BaseURL)
		vendor.KeyEnv = cmp.Or(own.KeyEnv, vendor.KeyEnv)
		if own.Prefixes != nil {
			vendor.Prefixes = own.Prefixes
		}
		p := openai.Provider(openai.Options{Key: env(vendor.KeyEnv), BaseURL: vendor.BaseURL})
		p.Default, p.Prefixes, p.Any = "", vendor.Prefixes, false
		to[name] = p
	}
}
