package openai

import (
	"net/http"
	"strings"

	"github.com/stepgraph/stepgraph/models"
)

// A dialect is how a server wants to be asked for one model. The zero value is
// what OpenAI itself understands.
type dialect struct {
	plainJSON       bool // JSON mode in place of a JSON Schema
	noStreamOptions bool // no usage in a stream
	oldMaxTokens    bool // max_tokens in place of max_completion_tokens
	swapped         bool // the names of the limit were swapped once; not again
}

// simplify returns the dialect to try after a refusal. keep says that it is a
// matter of the server, not of this one schema. It is not ok when the refusal is
// about something else, which then is the caller's to mend.
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
