package functions

import (
	"encoding/json"
	"strings"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/functions/internal/input"
)

// ErrorOutput stands in the place of a result that there is none of.
type ErrorOutput struct {
	Error Failure `json:"error"`
}

// A Failure is an error as an output tells of it.
type Failure struct {
	Message string `json:"message"`
	Kind    string `json:"kind"` // such as failed or timeout
}

// resultList is what rounds or child sessions came to: their outputs in order, with
// {error} for those that failed, and the text of each.
type resultList struct {
	Results []json.RawMessage
	Texts   []string
	Failed  int
}

// gather reads the results of a body. One that failed has no text.
func gather(body *engine.BodyOutcome) resultList {
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

func failureOf(e *engine.SessionError) Failure { return Failure{e.Message, e.Kind} }

// join puts the texts together; a new line stands between them where separator is nil.
func (l resultList) join(separator *string) string {
	between := "\n"
	if separator != nil {
		between = *separator
	}
	return strings.Join(l.Texts, between)
}
