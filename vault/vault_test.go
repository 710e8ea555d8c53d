package vault_test

import (
	"encoding/json"
	"errors"
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
			if value, ok, err := of.Lookup("TOKEN", host); ok != want || err != nil || ok && value != "t0psecret" {
				t.Errorf("the secret for %s: %q, %t, %v", host, value, ok, err)
			}
		}
	}
	if err := errors.Join(other.DeleteProfile("clerk"), other.DeleteVariable("city"), other.DeleteSecret("TOKEN")); err != nil {
		t.Fatal(err)
	}
	if _, ok, err := v.Lookup("TOKEN", "api.example.com"); ok || err != nil {
		t.Errorf("a secret that was deleted is still given, %v", err)
	}
	if all, err := v.Profiles(); len(all) != 0 || err != nil {
		t.Errorf("profiles %v, %v", all, err)
	}
}

func TestSecretsAreNotInTheFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "vault.json")
	v := open(t, file, vault.Fixed{})
	if err := errors.Join(v.PutSecret("A", "t0psecret", vault.Secret{}), v.PutSecret("B", "t0psecret", vault.Secret{})); err != nil {
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
	if value, ok, err := v.Lookup("B", "h"); ok || err == nil || value != "" {
		t.Errorf("a secret under another name gives %q, %v", value, err)
	}
	if value, ok, err := v.Lookup("A", "h"); !ok || err != nil || value != "t0psecret" {
		t.Errorf("the secret itself: %q, %v", value, err)
	}
	if err := os.Remove(file + ".key"); err != nil {
		t.Fatal(err)
	}
	if _, ok, err := v.Lookup("A", "h"); ok || err == nil {
		t.Errorf("without the key: %t, %v", ok, err)
	}
	if err := v.PutSecret("C", "again", vault.Secret{}); err != nil {
		t.Fatal(err)
	}
	if _, ok, err := v.Lookup("A", "h"); ok || err == nil || !strings.Contains(err.Error(), "not the key that it was stored with") {
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
		v.DeleteVariable("n"), v.PutSecret("KEY", "x", vault.Secret{}), v.DeleteSecret("KEY")} {
		if !errors.Is(err, vault.ErrFixed) {
			t.Errorf("what the configuration says is changed: %v", err)
		}
	}
	if got, ok, err := v.Lookup("KEY", "a"); got != "one" || !ok || err != nil {
		t.Errorf("a secret of the configuration: %q, %v", got, err)
	}
	if _, ok, _ := v.Lookup("KEY", "b"); ok {
		t.Error("a secret of the configuration goes to another host")
	}
	value = "two"
	if got, _, _ := v.Lookup("KEY", "a"); got != "two" {
		t.Errorf("a secret that changed: %q", got)
	}
	fault = errors.New("no such file")
	if _, ok, err := v.Lookup("KEY", "a"); ok || err == nil {
		t.Errorf("a secret that cannot be read: %t, %v", ok, err)
	}
}

func TestRefused(t *testing.T) {
	v := open(t, "", vault.Fixed{})
	for what, err := range map[string]error{
		"profile name": v.PutProfile("a/b", vault.Profile{}), "schema": v.PutProfile("a", vault.Profile{Schema: json.RawMessage("1")}),
		"variable name": v.PutVariable("a b", vault.Variable{Value: json.RawMessage("1")}), "no value": v.PutVariable("a", vault.Variable{}),
		"large":       v.PutVariable("a", vault.Variable{Value: json.RawMessage(`"` + strings.Repeat("x", 64<<10) + `"`)}),
		"secret name": v.PutSecret("a-b", "x", vault.Secret{}), "empty": v.PutSecret("A", "", vault.Secret{}),
		"host": v.PutSecret("A", "x", vault.Secret{Hosts: []string{"https://a"}}), "pattern": v.PutSecret("A", "x", vault.Secret{Hosts: []string{"a.*"}}),
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
