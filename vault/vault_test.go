package vault_test

import (
	"encoding/json"
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stepgraph/stepgraph/vault"
)

func open(t *testing.T, file string, fixed vault.Fixed) *vault.Vault {
	t.Helper()
	v, err := vault.Open(vault.Options{File: file, Fixed: fixed, Now: func() time.Time { return time.Date(2025, 1, 2, 3, 4, 5, 0, time.UTC) }})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

var anywhere = vault.Secret{Hosts: []string{"*"}}

func at(address string) *url.URL {
	u, err := url.Parse(address)
	if err != nil {
		panic(err)
	}
	return u
}

func TestHostPatterns(t *testing.T) {
	for _, c := range []struct{ pattern, to, not string }{
		{"a.example", "https://a.example https://A.example./x https://a.example:443", "http://a.example https://a.example:8443 https://b.a.example https://xa.example"},
		{"*.example", "https://a.example https://a.b.example", "https://example http://a.example https://aexample"},
		{"a.example:8443", "https://a.example:8443", "https://a.example http://a.example:8443"},
		{"http://a.example", "http://a.example http://a.example:80", "https://a.example http://a.example:8080"},
		{"http://a.example:81", "http://a.example:81", "http://a.example https://a.example:81"},
		{"127.0.0.1", "http://127.0.0.1:9 https://127.0.0.1", "http://127.0.0.2:9"},
		{"http://127.0.0.1:9", "http://127.0.0.1:9", "http://127.0.0.1:8 https://127.0.0.1:9"},
		{"[::1]", "http://[::1]:9", "http://127.0.0.1:9"},
		{"*", "http://a:1 https://b", ""},
		{"", "", "https://a"},
	} {
		for _, to := range strings.Fields(c.to) {
			if !vault.HostServes(c.pattern, at(to)) {
				t.Errorf("%s does not allow %s", c.pattern, to)
			}
		}
		for _, to := range strings.Fields(c.not) {
			if vault.HostServes(c.pattern, at(to)) {
				t.Errorf("%s allows %s", c.pattern, to)
			}
		}
	}
}

// Files of versions before hosts were required may have secrets without: they go nowhere.
func TestASecretStoredWithoutHostsGoesNowhere(t *testing.T) {
	file := filepath.Join(t.TempDir(), "vault.json")
	if err := open(t, file, vault.Fixed{}).PutSecret("A", "t0psecret", anywhere); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	write(t, file, strings.Replace(string(text), `"hosts":["*"],`, "", 1))
	v := open(t, file, vault.Fixed{})
	if _, ok, err := v.Lookup("A", at("https://a")); ok || err != nil {
		t.Errorf("it is given: %t, %v", ok, err)
	}
	if value, ok, err := v.Value("A"); value != "t0psecret" || !ok || err != nil {
		t.Errorf("a command of the configuration gets %q, %v", value, err)
	}
}

func TestWhatIsSetIsThereForEverybody(t *testing.T) {
	file := filepath.Join(t.TempDir(), "below", "vault.json")
	v := open(t, file, vault.Fixed{})
	other := open(t, file, vault.Fixed{}) // another engine
	if err := v.PutProfile("clerk", vault.Profile{Model: "m", Schema: json.RawMessage(`{"type":"object"}`)}); err != nil {
		t.Fatal(err)
	}
	if err := v.PutVariable("city", vault.Variable{Value: json.RawMessage(`{"name":"Oslo"}`)}); err != nil {
		t.Fatal(err)
	}
	if err := v.PutSecret("TOKEN", "t0psecret", vault.Secret{Hosts: []string{"api.example.com", "*.shop.example"}}); err != nil {
		t.Fatal(err)
	}
	for _, of := range []*vault.Vault{v, other, open(t, file, vault.Fixed{})} {
		p, err := of.Profile("clerk")
		if err != nil || p.Entry.Model != "m" || string(p.Entry.Schema) != `{"type":"object"}` || p.Source != vault.SourceStored || p.UpdatedAt.Year() != 2025 {
			t.Errorf("profile %+v, %v", p, err)
		}
		city, err := of.Variable("city")
		if err != nil || string(city.Entry.Value) != `{"name":"Oslo"}` {
			t.Errorf("variable %s, %v", city.Entry.Value, err)
		}
		for host, want := range map[string]bool{"api.example.com": true, "API.example.com.": true, "a.shop.example": true, "shop.example": false, "evil.example": false, "xapi.example.com": false} {
			if value, ok, err := of.Lookup("TOKEN", at("https://"+host)); ok != want || err != nil || ok && value != "t0psecret" {
				t.Errorf("the secret for %s: %q, %t, %v", host, value, ok, err)
			}
		}
	}
	if err := errors.Join(other.DeleteProfile("clerk"), other.DeleteVariable("city"), other.DeleteSecret("TOKEN")); err != nil {
		t.Fatal(err)
	}
	if _, ok, err := v.Lookup("TOKEN", at("https://"+"api.example.com")); ok || err != nil {
		t.Errorf("a secret that was deleted is still given, %v", err)
	}
	if all, err := v.Profiles(); len(all) != 0 || err != nil {
		t.Errorf("profiles %v, %v", all, err)
	}
}

func TestSecretsAreNotInTheFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "vault.json")
	v := open(t, file, vault.Fixed{})
	if err := errors.Join(v.PutSecret("A", "t0psecret", anywhere), v.PutSecret("B", "t0psecret", anywhere)); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{file, file + ".key"} {
		info, err := os.Stat(name)
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", name, info, err)
		}
		text, err := os.ReadFile(name)
		if err != nil || strings.Contains(string(text), "t0psecret") || strings.Contains(string(text), "dDBwc2VjcmV0") {
			t.Errorf("%s holds %s, %v", name, text, err)
		}
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var whole map[string]map[string]struct{ Entry struct{ Sealed string } }
	if err := json.Unmarshal(text, &whole); err != nil {
		t.Fatal(err)
	}
	a, b := whole["secrets"]["A"].Entry.Sealed, whole["secrets"]["B"].Entry.Sealed
	if a == "" || a == b {
		t.Errorf("equal secrets look alike: %q, %q", a, b)
	}
	// A secret put under another name opens nothing.
	write(t, file, strings.Replace(string(text), b, a, 1))
	if value, ok, err := v.Lookup("B", at("https://"+"h")); ok || err == nil || value != "" {
		t.Errorf("a secret under another name gives %q, %v", value, err)
	}
	if value, ok, err := v.Lookup("A", at("https://"+"h")); !ok || err != nil || value != "t0psecret" {
		t.Errorf("the secret itself: %q, %v", value, err)
	}
	if err := os.Remove(file + ".key"); err != nil {
		t.Fatal(err)
	}
	if _, ok, err := v.Lookup("A", at("https://"+"h")); ok || err == nil {
		t.Errorf("without the key: %t, %v", ok, err)
	}
	if err := v.PutSecret("C", "again", anywhere); err != nil {
		t.Fatal(err)
	}
	if _, ok, err := v.Lookup("A", at("https://"+"h")); ok || err == nil || !strings.Contains(err.Error(), "not the key that it was stored with") {
		t.Errorf("with another key: %t, %v", ok, err)
	}
}

func TestFixed(t *testing.T) {
	value, fault := "one\n", error(nil)
	fixed := vault.Fixed{
		Profiles:  map[string]vault.Profile{"cook": {Model: "c"}},
		Variables: map[string]vault.Variable{"n": {Value: json.RawMessage("1")}},
		Secrets:   map[string]vault.FixedSecret{"KEY": {Secret: vault.Secret{Hosts: []string{"a"}}, Value: func() (string, error) { return value, fault }}},
	}
	v := open(t, "", fixed)
	if err := v.PutProfile("baker", vault.Profile{}); err != nil {
		t.Fatal(err)
	}
	all, err := v.Profiles()
	if err != nil || len(all) != 2 || all[0].Name != "baker" || all[1].Name != "cook" || all[1].Source != vault.SourceConfiguration {
		t.Errorf("profiles %+v, %v", all, err)
	}
	for _, err := range []error{v.PutProfile("cook", vault.Profile{}), v.DeleteProfile("cook"), v.PutVariable("n", vault.Variable{Value: json.RawMessage("2")}),
		v.DeleteVariable("n"), v.PutSecret("KEY", "x", anywhere), v.DeleteSecret("KEY")} {
		if !errors.Is(err, vault.ErrFixed) {
			t.Errorf("what the configuration says is changed: %v", err)
		}
	}
	if got, ok, err := v.Lookup("KEY", at("https://"+"a")); got != "one" || !ok || err != nil {
		t.Errorf("a secret of the configuration: %q, %v", got, err)
	}
	if _, ok, _ := v.Lookup("KEY", at("https://"+"b")); ok {
		t.Error("a secret of the configuration goes to another host")
	}
	value = "two"
	if got, _, _ := v.Lookup("KEY", at("https://"+"a")); got != "two" {
		t.Errorf("a secret that changed: %q", got)
	}
	fault = errors.New("no such file")
	if _, ok, err := v.Lookup("KEY", at("https://"+"a")); ok || err == nil {
		t.Errorf("a secret that cannot be read: %t, %v", ok, err)
	}
}

func TestRefused(t *testing.T) {
	v := open(t, "", vault.Fixed{})
	for what, err := range map[string]error{
		"profile name": v.PutProfile("a/b", vault.Profile{}), "schema": v.PutProfile("a", vault.Profile{Schema: json.RawMessage("1")}),
		"variable name": v.PutVariable("a b", vault.Variable{Value: json.RawMessage("1")}), "no value": v.PutVariable("a", vault.Variable{}),
		"large":       v.PutVariable("a", vault.Variable{Value: json.RawMessage(`"` + strings.Repeat("x", 64<<10) + `"`)}),
		"secret name": v.PutSecret("a-b", "x", anywhere), "empty": v.PutSecret("A", "", anywhere),
		"host": v.PutSecret("A", "x", vault.Secret{Hosts: []string{"https://a/b"}}), "no host": v.PutSecret("A", "x", vault.Secret{}), "pattern": v.PutSecret("A", "x", vault.Secret{Hosts: []string{"a.*"}}),
	} {
		if !errors.Is(err, vault.ErrInvalid) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if err := v.DeleteProfile("x"); !errors.Is(err, vault.ErrProfileNotFound) {
		t.Errorf("deleting nothing: %v", err)
	}
	if _, err := v.Secret("x"); !errors.Is(err, vault.ErrSecretNotFound) {
		t.Errorf("reading nothing: %v", err)
	}
}

func TestFilesThatCannotBeUsed(t *testing.T) {
	file := filepath.Join(t.TempDir(), "vault.json")
	write(t, file, "{")
	if _, err := vault.Open(vault.Options{File: file}); err == nil || !strings.Contains(err.Error(), "mend it") {
		t.Errorf("a broken file: %v", err)
	}
	write(t, file, "{}")
	if err := os.Chmod(file, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := vault.Open(vault.Options{File: file}); err == nil || !strings.Contains(err.Error(), "chmod 600") {
		t.Errorf("a file for all to read: %v", err)
	}
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
