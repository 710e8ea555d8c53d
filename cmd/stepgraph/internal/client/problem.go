package client

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"github.com/stepgraph/stepgraph/api"
	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/engine/graph"
	"github.com/stepgraph/stepgraph/internal/near"
)

// An Error is a problem document of the server. It wraps the error that the server answered.
type Error struct {
	Status int
	Slug   string // of the problem's type
	Title  string
	Detail string
	Faults []graph.Fault
	Exists []string // what there is in place of a name that is not there
	err    error    // that the problem answers, or nil
}

// Error gives the detail, which says what, where and what to do.
func (e *Error) Error() string {
	text := e.Detail
	if text == "" {
		text = e.Title
	}
	if text == "" {
		text = fmt.Sprintf("the server answered %d %s", e.Status, http.StatusText(e.Status))
	}
	for _, f := range e.Faults {
		if !strings.Contains(text, f.Message) {
			text = joined(text, f)
		}
	}
	if e.Slug != "workflow_not_found" { // a command knows more of workflows
		text += e.there(text)
	}
	return text
}

// shownNames is how many names an error lists.
const shownNames = 20

// there names what exists: what is near to the name in a message, else all.
func (e *Error) there(text string) string {
	if len(e.Exists) == 0 || strings.Contains(text, "there is: ") || strings.Contains(text, "there are ") {
		return ""
	}
	words := strings.FieldsFunc(text, func(r rune) bool { return r == ' ' || r == ':' || r == '"' })
	if found := near.Names(words[len(words)-1], e.Exists, 3); len(found) > 0 {
		return "; did you mean " + strings.Join(found, " or ") + "?"
	}
	if len(e.Exists) > shownNames {
		return fmt.Sprintf("; there are %d, such as %s", len(e.Exists), strings.Join(e.Exists[:shownNames], ", "))
	}
	return "; there are " + strings.Join(e.Exists, ", ")
}

// joined adds a fault to a message: the place first, where it has one.
func joined(text string, f graph.Fault) string {
	if f.Pointer == "" {
		return text + "; " + f.Message
	}
	return fmt.Sprintf("%s; %s: %s", text, f.Pointer, f.Message)
}

// Unwrap returns the error that the problem answers.
func (e *Error) Unwrap() error { return e.err }

// problem reads the answer of a call that was refused.
func problem(response *http.Response, text []byte) error {
	var document struct {
		Type   string   `json:"type"`
		Title  string   `json:"title"`
		Detail string   `json:"detail"`
		Exists []string `json:"exists"`
		Errors []struct {
			graph.Fault
			Step string `json:"step"`
			Path string `json:"path"`
			Code string `json:"code"`
		} `json:"errors"`
	}
	e := &Error{Status: response.StatusCode}
	if json.Unmarshal(text, &document) != nil {
		e.Detail = fmt.Sprintf("%s answered %s: is it stepgraph?", response.Request.URL, response.Status)
		return e
	}
	e.Title, e.Detail, e.Exists = document.Title, document.Detail, document.Exists
	refused := &engine.DetailError{Err: engine.ErrWorkflowInvalid, Detail: document.Detail}
	for _, f := range document.Errors {
		e.Faults = append(e.Faults, f.Fault)
		refused.Problems = append(refused.Problems, engine.Problem{Level: "error", Step: f.Step, Path: f.Path, Code: f.Code, Message: f.Message})
	}
	e.Slug = document.Type[strings.LastIndex(document.Type, "/")+1:]
	if e.err = api.ErrorOf(e.Slug); e.Slug == "workflow_invalid" {
		e.err = refused
	}
	if e.err == nil && response.StatusCode == http.StatusUnauthorized && e.Detail == "" {
		e.Detail = "the server requires a token: give --token or $STEPGRAPH_TOKEN"
	}
	return e
}
