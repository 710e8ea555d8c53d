package api

import (
	"net/http"
	"sync"

	"github.com/go-chi/chi/v5"

	"github.com/stepgraph/stepgraph/api/internal/reference"
)

// referenceFiles are made once a process, at the first request.
var referenceFiles = sync.OnceValue(func() map[string]*studioFile { return readBuilt(reference.Files()) })

// mountReference serves the page that shows the API's document, under Studio's policy and,
// like Studio, without a token: it asks for the document with the token that Studio keeps.
func mountReference(r chi.Router) {
	page := func(w http.ResponseWriter, r *http.Request) {
		sendPage(w, r, http.StatusOK, referenceFiles()["index.html"])
	}
	for _, pattern := range []string{"/docs", "/docs/"} {
		r.Get(pattern, page)
	}
	r.Get("/docs/{file}", func(w http.ResponseWriter, r *http.Request) {
		name := chi.URLParam(r, "file")
		f := referenceFiles()[name]
		if f == nil || name == "index.html" {
			noRoute(w, r)
			return
		}
		f.send(w, r, http.StatusOK)
	})
}
