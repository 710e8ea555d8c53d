package openai

import (
	"net/http"
	"strings"

	"github.com/stepgraph/stepgraph/models"
)

// A dialect describes which parameters a server supports for one model. The zero value is that
// of OpenAI itself.
type dialect struct {
	plainJSON       bool // JSON mode in place of a JSON Schema
	noStreamOptions bool // no usage in a stream
	oldMaxTokens    bool // max_tokens in place of max_completion_tokens
	swapped         bool // the two names of the limit were swapped once; do not swap again
}

// simplify returns the dialect to try after a refused request. keep reports that the reason is
// the server and not this one schema. ok is false if the refusal has another reason, which the
// caller must fix.
func (d dialect) simplify(req models.Request, failed *models.Error) (simpler dialect, keep, ok bool) {
	if failed.Status != http.StatusBadRequest && failed.Status != http.StatusUnprocessableEntity {
		return d, false, false
	}
	text := strings.ToLower(failed.Message)
	switch {
	case len(req.Schema) > 0 && !d.plainJSON && mentions(text, "response_format", "json_schema"):
		d.plainJSON = true
		return d, !strings.Contains(text, "invalid schema"), true
	case req.Token != nil && !d.noStreamOptions && mentions(text, "stream_options"):
		d.noStreamOptions = true
		return d, true, true
	case req.MaxTokens > 0 && !d.swapped && mentions(text, d.limitName()) &&
		mentions(text, "unsupported", "not supported", "unknown", "unrecognized", "extra inputs"):
		d.oldMaxTokens, d.swapped = !d.oldMaxTokens, true
		return d, true, true
	}
	return d, false, false
}

func (d dialect) limitName() string {
	if d.oldMaxTokens {
		return "max_tokens"
	}
	return "max_completion_tokens"
}

func mentions(text string, words ...string) bool {
	for _, word := range words {
		if strings.Contains(text, word) {
			return true
		}
	}
	return false
}
