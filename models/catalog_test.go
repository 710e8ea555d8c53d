package models_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/stepgraph/stepgraph/models"
)

// named is a model that answers with its own name.
type named string

func (n named) Generate(context.Context, models.Request) (models.Response, error) {
	return models.Response{Text: string(n)}, nil
}

// shelf is a set of providers that counts how often each is opened.
func shelf(opened map[string]int) map[string]models.Provider {
	open := func(name string) func() (models.Model, error) {
		return func() (models.Model, error) { opened[name]++; return named(name), nil }
	}
	return map[string]models.Provider{
		"script":    {Open: open("script")},
		"openai":    {Open: open("openai"), Default: "gpt-4o-mini", Prefixes: []string{"gpt-", "o1"}},
		"anthropic": {Open: open("anthropic"), Default: "claude-x", Prefixes: []string{"claude-"}},
	}
}

func answerer(t *testing.T, m models.Model) string {
	t.Helper()
	resp, err := m.Generate(t.Context(), models.Request{})
	if err != nil {
		t.Fatal(err)
	}
	return resp.Text
}

func TestCatalogResolvesNames(t *testing.T) {
	for _, c := range []struct{ chosen, enabled, asked, provider, model string }{
		// Script as the default answers everything; the name is a hint.
		{"", "", "", "script", ""},
		{"script", "", "gpt-4o", "script", "gpt-4o"},
		{"script", "", "openai/gpt-4o", "script", "openai/gpt-4o"},
		{"script", "openai", "openai/gpt-4o", "script", "openai/gpt-4o"},
		// The default may be named in three ways.
		{"openai", "", "", "openai", "gpt-4o-mini"},
		{"openai/gpt-4o", "", "", "openai", "gpt-4o"},
		{"openai/org/model", "", "", "openai", "org/model"},
		{"gpt-4.1", "", "", "openai", "gpt-4.1"},
		{"claude-y", "", "", "anthropic", "claude-y"},
		// A workflow may choose the model of the provider, not the provider.
		{"openai/gpt-4o", "", "gpt-5", "openai", "gpt-5"},
		{"openai/gpt-4o", "", "openai", "openai", "gpt-4o"},
		{"openai/gpt-4o", "", "openai/o3", "openai", "o3"},
		{"openai", "", "claude-x", "openai", "claude-x"},
		{"openai", "", "anthropic/claude-x", "openai", "anthropic/claude-x"},
		{"openai", "", "llama3:8b", "openai", "llama3:8b"},
		// What is enabled may be asked for.
		{"openai", "anthropic", "claude-z", "anthropic", "claude-z"},
		{"openai", "anthropic", "anthropic/claude-z", "anthropic", "claude-z"},
		{"openai", "anthropic", "anthropic", "anthropic", "claude-x"},
		{"openai", "", "script", "script", ""},
	} {
		opened := map[string]int{}
		options := models.CatalogOptions{Default: c.chosen, Providers: shelf(opened)}
		if c.enabled != "" {
			options.Enabled = []string{c.enabled}
		}
		catalog, err := models.NewCatalog(options)
		if err != nil {
			t.Errorf("%+v: %v", c, err)
			continue
		}
		m, model, err := catalog.Model(c.asked)
		if err != nil || answerer(t, m) != c.provider || model != c.model {
			t.Errorf("%+v: got %v, model %q, %v", c, m, model, err)
		}
	}
}

func TestCatalogOpensOnlyWhatWasChosen(t *testing.T) {
	opened := map[string]int{}
	catalog, err := models.NewCatalog(models.CatalogOptions{Default: "openai", Enabled: []string{"anthropic"}, Providers: shelf(opened)})
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if _, _, err := catalog.Model("gpt-4o"); err != nil {
			t.Fatal(err)
		}
	}
	if opened["openai"] != 1 || opened["anthropic"] != 0 || opened["script"] != 0 {
		t.Errorf("opened %v, want openai alone and once", opened)
	}
	if got := catalog.Default(); got != "openai/gpt-4o-mini" {
		t.Errorf("default %q", got)
	}
}

func TestCatalogRefusesWhatNobodyServes(t *testing.T) {
	for _, c := range []struct {
		options models.CatalogOptions
		want    string
	}{
		{models.CatalogOptions{Default: "llama3"}, `model "llama3": no provider serves it; write PROVIDER/MODEL, with one of the providers anthropic, openai, script`},
		{models.CatalogOptions{Enabled: []string{"other"}}, `enabled model provider "other": no such provider`},
	} {
		c.options.Providers = shelf(map[string]int{})
		if _, err := models.NewCatalog(c.options); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
	noKey := errors.New("openai: no key")
	_, err := models.NewCatalog(models.CatalogOptions{Default: "openai", Providers: map[string]models.Provider{
		"openai": {Open: func() (models.Model, error) { return nil, noKey }},
	}})
	if !errors.Is(err, noKey) {
		t.Errorf("a provider without a key: %v", err)
	}
}

func TestCatalogGivesUnknownNamesToTheProviderThatServesAny(t *testing.T) {
	providers := shelf(map[string]int{})
	openai := providers["openai"]
	openai.Any = true
	providers["openai"] = openai
	catalog, err := models.NewCatalog(models.CatalogOptions{Default: "llama3", Providers: providers})
	if err != nil || catalog.Default() != "openai/llama3" {
		t.Errorf("default %v, %v", catalog, err)
	}
}

func TestCatalogEndpoints(t *testing.T) {
	at := models.Endpoint{BaseURL: "http://user:secret@models.test/v1?key=secret"}
	open := func(e models.Endpoint) (models.Model, error) { return named(e.BaseURL), nil }
	for _, c := range []struct{ chosen, want string }{
		{"", at.BaseURL}, {"openai", at.BaseURL}, {"script", "script"},
	} {
		catalog, err := models.NewCatalog(models.CatalogOptions{Default: c.chosen, Providers: shelf(map[string]int{}), OpenEndpoint: open})
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if m, err := catalog.Endpoint(at); err != nil || answerer(t, m) != c.want {
				t.Errorf("default %q: got %v, %v", c.chosen, m, err)
			}
		}
	}
	catalog, err := models.NewCatalog(models.CatalogOptions{Providers: shelf(map[string]int{})})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := catalog.Endpoint(at); err == nil || strings.Contains(err.Error(), "secret") || !strings.Contains(err.Error(), "models.test") {
		t.Errorf("endpoints not allowed: %v", err)
	}
}

func TestCatalogWrapsEveryModel(t *testing.T) {
	wrapped := 0
	catalog, err := models.NewCatalog(models.CatalogOptions{Default: "openai", Providers: shelf(map[string]int{}), Wrap: func(m models.Model) models.Model {
		wrapped++
		return m
	}})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"", "gpt-4o", "script"} {
		if _, _, err := catalog.Model(name); err != nil {
			t.Fatal(err)
		}
	}
	if wrapped != 2 {
		t.Errorf("wrapped %d models, want openai and script", wrapped)
	}
}

// An alias stands for a provider's model, enables that provider, and is checked at the start.
func TestCatalogAliases(t *testing.T) {
	catalog, err := models.NewCatalog(models.CatalogOptions{Default: "openai", Aliases: map[string]string{"fast": "anthropic/claude-z"}, Providers: shelf(map[string]int{})})
	if err != nil {
		t.Fatal(err)
	}
	if m, model, err := catalog.Model("fast"); err != nil || answerer(t, m) != "anthropic" || model != "claude-z" {
		t.Errorf("got %v, %q, %v", m, model, err)
	}
	for _, to := range []string{"gemini/g", "anthropic"} {
		if _, err := models.NewCatalog(models.CatalogOptions{Default: "openai", Aliases: map[string]string{"fast": to}, Providers: shelf(map[string]int{})}); err == nil || !strings.Contains(err.Error(), `model alias "fast"`) {
			t.Errorf("%s: %v", to, err)
		}
	}
}
