package models_test

import (
	"testing"

	"github.com/stepgraph/stepgraph/models"
)

func TestWords(t *testing.T) {
	for text, want := range map[string]string{
		"openai at models.example: no bad (HTTP 400, bad_request)":                                             "400 no bad",
		"openai at 127.0.0.1:9: no connection, or it broke: dial tcp 127.0.0.1:9: connect: connection refused": "Connection error.",
		"anthropic: no answer in time":                                "Request timed out.",
		"openai at models.example: no answer in time: step timed out": "Request timed out.",
		"bad thing: no answer in time at all":                         "bad thing: no answer in time at all",
		"":                                                            "",
	} {
		if got := models.Words(text); got != want {
			t.Errorf("%q gives %q, want %q", text, got, want)
		}
	}
}
