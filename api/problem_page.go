package api

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/go-chi/chi/v5"
)

// markdown is the text of one entry of docs/problems.md.
func (r *problemRow) markdown() string {
	return fmt.Sprintf("## %s\n\n%d: %s\n\n%s\n\n%s\n", r.Slug, r.Status, r.Title, r.Means, r.Do)
}

// problemsPage is docs/problems.md.
func problemsPage() string {
	var b strings.Builder
	b.WriteString("# Problems\n\nErrors are `application/problem+json` (RFC 9457): `{type, title, status, detail, errors: [{pointer, message}]}`, with\n" +
		"`exists` (names that exist, for something that does not) and `accepted` (the answer that counted) where they apply.\n" +
		"`type` is `/problems/` and one of the names below, which do not change; `GET /problems/NAME` shows the entry.\n" +
		"`errors[].parameter` names a parameter where the fault is not in the body, `step`, `path` and `code` what is wrong in a workflow. This page is made from the table in `api/problems.go`.\n\n" +
		"| problem | status | title |\n|---|---|---|\n")
	for i := range problemTable {
		if r := &problemTable[i]; r.Title != "" {
			fmt.Fprintf(&b, "| [%s](#%s) | %d | %s |\n", r.Slug, r.Slug, r.Status, r.Title)
		}
	}
	for i := range problemTable {
		if r := &problemTable[i]; r.Title != "" {
			b.WriteString("\n" + r.markdown())
		}
	}
	return b.String()
}

func mountProblems(r chi.Router) {
	text := func(w http.ResponseWriter, body string) {
		w.Header().Set("Content-Type", "text/markdown; charset=utf-8")
		_, _ = w.Write([]byte(body))
	}
	page := problemsPage()
	r.Get("/problems", func(w http.ResponseWriter, _ *http.Request) { text(w, page) })
	r.Get("/problems/{slug}", func(w http.ResponseWriter, q *http.Request) {
		for i := range problemTable {
			if row := &problemTable[i]; row.Title != "" && row.Slug == q.PathValue("slug") {
				text(w, row.markdown())
				return
			}
		}
		problem("not_found", "no problem is called that; /problems lists them").write(w)
	})
}
