package api

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"net/http"
	"strings"

	"github.com/go-chi/chi/v5"
)

// page is one file with its script and style in it; it loads nothing and asks only this
// server.
//
//go:embed page.html
var page string

// mountPage serves the page. Its policy allows exactly the script and the style that the
// file holds, by their hashes.
func mountPage(r chi.Router) {
	policy := "default-src 'none'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'" +
		"; script-src " + hashOf(page, "script") + "; style-src " + hashOf(page, "style")
	r.Get("/", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Set("Content-Security-Policy", policy)
		_, _ = w.Write([]byte(page))
	})
}

// hashOf is the source expression of the text inside the page's one element of a name.
func hashOf(html, element string) string {
	_, rest, found := strings.Cut(html, "<"+element+">")
	text, _, ended := strings.Cut(rest, "</"+element+">")
	if !found || !ended {
		panic("api: page.html has no " + element)
	}
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}
