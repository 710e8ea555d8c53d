package functions

import (
	"encoding/json"
	"strings"

	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/functions/internal/input"
)

// ErrorOutput takes the place of the output of a failed round or child session.
type ErrorOutput struct {
	Error Failure `json:"error"`
}

// A Failure is an error in an output.
type Failure struct {
	Message string `json:"message"`
	Kind    string `json:"kind"` // such as failed or timeout
}

// resultList holds the results of rounds or child sessions: their outputs in order, with
// {error} for failed ones, and the text of each.
type resultList struct {
	Results []json.RawMessage
	Texts   []string
	Failed  int
}

// readResults reads the results of a body. A failed one has no text.
func readResults(body *function.BodyOutcome) resultList {
	list := resultList{Results: []json.RawMessage{}, Texts: []string{}}
	for _, one := range body.Results {
		result, text := one.Output, input.ResultText(one.Output)
		if one.Error != nil {
			list.Failed++
			result, text = input.Encode(ErrorOutput{failureOf(one.Error)}), ""
		}
		list.Results = append(list.Results, orNull(result))
		list.Texts = append(list.Texts, text)
	}
	return list
}

func failureOf(e *function.SessionError) Failure { return Failure{e.Message, e.Kind} }

// join joins the texts with the separator, a newline if nil.
func (l resultList) join(separator *string) string {
	between := "\n"
	if separator != nil {
		between = *separator
	}
	return strings.Join(l.Texts, between)
}
