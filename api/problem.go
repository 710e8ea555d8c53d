package api

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"

	"github.com/stepgraph/stepgraph/engine"
)

// A Problem is an error in the format of RFC 9457. Type is "/problems/" and a slug of the table
// in problems.go; programs use it to distinguish errors, Detail is for people.
type Problem struct {
	Type     string           `json:"type" doc:"/problems/ and the problem's slug; under the API's prefix it is a page that explains it" example:"/problems/session_not_found"`
	Title    string           `json:"title" doc:"short description of the type" example:"No such session"`
	Status   int              `json:"status" doc:"the HTTP status" example:"404"`
	Detail   string           `json:"detail,omitempty" doc:"what is wrong with this request" example:"session not found: 0192"`
	Errors   []Fault          `json:"errors,omitempty" doc:"the invalid positions"`
	Exists   []string         `json:"exists,omitempty" doc:"for something that does not exist: up to 100 names that do"`
	Accepted *engine.Accepted `json:"accepted,omitempty" doc:"already_answered: the accepted answer"`

	header http.Header
}

// A Fault is one invalid position in a request.
type Fault struct {
	Pointer   string `json:"pointer" doc:"JSON Pointer into the body, empty for the whole or for a parameter" example:"/response"`
	Parameter string `json:"parameter,omitempty" doc:"the query, path or header parameter, where it is one" example:"limit"`
	Step      string `json:"step,omitempty" doc:"the step of a workflow that is meant"`
	Path      string `json:"path,omitempty" doc:"the path of a workflow that is meant"`
	Line      int    `json:"line,omitempty" doc:"the line of the file, from 1, where the body is a file"`
	Column    int    `json:"column,omitempty" doc:"the column in bytes, from 1"`
	Code      string `json:"code,omitempty" doc:"what is wrong with a workflow, for programs" example:"does_not_fit"`
	Message   string `json:"message" example:"is missing"`
}

// Error makes a Problem an error.
func (p *Problem) Error() string {
	if p.Detail == "" {
		return p.Title
	}
	return p.Detail
}

// GetStatus is the HTTP status; huma asks for it.
func (p *Problem) GetStatus() int { return p.Status }

// GetHeaders are the headers that go with the problem; huma asks for them.
func (p *Problem) GetHeaders() http.Header { return p.header }

// ContentType makes JSON a problem's JSON; huma asks for it.
func (p *Problem) ContentType(string) string { return problemJSON }

const problemJSON = "application/problem+json"

// problem is a Problem of a slug of the table.
func problem(slug, detail string, faults ...Fault) *Problem {
	row := problemRowOf(slug)
	if detail == "" {
		detail = detailOf(faults)
	}
	p := &Problem{Type: "/problems/" + row.Slug, Title: row.Title, Status: row.Status, Detail: detail, Errors: faults, header: http.Header{}}
	if row.RetryAfter > 0 {
		p.header.Set("Retry-After", strconv.Itoa(row.RetryAfter))
	}
	return p
}

// write answers a request with the problem, outside of huma.
func (p *Problem) write(w http.ResponseWriter) {
	h := w.Header()
	for k, v := range p.header {
		h[k] = v
	}
	h.Del("Content-Length")
	h.Set("Content-Type", problemJSON)
	w.WriteHeader(p.Status)
	_ = json.NewEncoder(w).Encode(p) // the client is gone: there is no one to report to
}

// detailOf describes the first of the faults in one sentence, and how many there are.
func detailOf(faults []Fault) string {
	if len(faults) == 0 {
		return ""
	}
	f := faults[0]
	where := "the body"
	if f.Parameter != "" {
		where = "parameter " + f.Parameter
	} else if f.Pointer != "" {
		where = f.Pointer
	}
	text := where + ": " + f.Message
	if more := len(faults) - 1; more > 0 {
		text += fmt.Sprintf("; and %d more", more)
	}
	return text
}
