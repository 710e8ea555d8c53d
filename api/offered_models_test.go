package api

import (
	"slices"
	"testing"

	"github.com/stepgraph/stepgraph/vault"
)

// TestOfferedModels: clients that offer models offer the one that answers where nothing is
// said, without any profile too.
func TestOfferedModels(t *testing.T) {
	v := Options{}.withDefaults().Vault
	if got, err := offeredModels("script", v)(); err != nil || !slices.Equal(got, []string{"script"}) {
		t.Errorf("%v %v", got, err)
	}
	for name, model := range map[string]string{"a": "openai/b", "c": "script"} {
		if err := v.PutProfile(name, vault.Profile{Model: model}); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := offeredModels("script", v)(); err != nil || !slices.Equal(got, []string{"script", "openai/b"}) {
		t.Errorf("%v %v", got, err)
	}
}
