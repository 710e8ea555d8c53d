package models_test

import (
	"errors"
	"net/http"
	"testing"

	"github.com/stepgraph/stepgraph/models"
)

func TestSaid(t *testing.T) {
	waiting := models.StatusError("openai at 127.0.0.1:8080", 429, http.Header{"Retry-After": {"2"}}, "slow down: 3 calls (HTTP is busy)")
	caused := models.StatusError("anthropic", 500, nil, "broken")
	caused.Err = errors.New("the cause: (HTTP 503, server)")
	for text, want := range map[string]struct {
		status int
		words  string
	}{
		models.StatusError("openai at 127.0.0.1:8080", 400, nil, "bad request from stub").Error(): {400, "bad request from stub"},
		models.StatusError("openai", 401, nil, "").Error():                                        {401, "unauthorized"},
		waiting.Error(): {429, "slow down: 3 calls (HTTP is busy)"},
		caused.Error():  {500, "broken"},
		models.NewError(models.KindTimeout, true, "openai: no answer in time", nil).Error(): {},
		`the model's answer does not fit the schema: it is not JSON`:                        {},
		"": {},
	} {
		status, words, ok := models.Said(text)
		if status != want.status || words != want.words || ok != (want.status != 0) {
			t.Errorf("%q: got %d, %q, %v, want %d, %q", text, status, words, ok, want.status, want.words)
		}
	}
}
