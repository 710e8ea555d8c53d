package api

import (
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
)

// TestReferencePage: the page, its script and its library come from this server, under the
// policy of Studio, at the root and below a prefix; the license of the library goes with it.
func TestReferencePage(t *testing.T) {
	w := newWorld(t, Options{Token: strings.Repeat("k", 32)})
	page := w.do("GET", "/docs", nil).want(200)
	if page.header.Get("Content-Security-Policy") != studioPolicy || page.header.Get("Content-Type") != "text/html; charset=utf-8" {
		t.Errorf("%v", page.header)
	}
	if found := regexp.MustCompile(`(?i)<[^>]+ (style|on[a-z]+)=|<script>|<style>|(src|href)="(https?:)?//`).FindString(page.text); found != "" {
		t.Errorf("the document has %q, which its policy forbids", found)
	}
	named := regexp.MustCompile(`(?:src|href)="(docs/[^"]+)"`).FindAllStringSubmatch(page.text, -1)
	if len(named) != 4 {
		t.Errorf("the document names %d files: %s", len(named), page.text)
	}
	for _, m := range append(named, []string{"", "docs/swagger-ui-license.txt"}) {
		if got := w.do("GET", "/"+m[1], nil, "Accept-Encoding: identity").want(200); len(got.text) < 500 || got.header.Get("Content-Type") == "" {
			t.Errorf("%s: %d bytes, %v", m[1], len(got.text), got.header)
		}
	}
	w.do("GET", "/docs/index.html", nil).problem("not_found")
	w.do("GET", "/docs/nothing.js", nil).problem("not_found")

	below := http.StripPrefix("/below", New(w.engine, Options{}))
	for address, base := range map[string]string{"/below/docs": "./", "/below/docs/": "../"} {
		got := httptest.NewRecorder()
		below.ServeHTTP(got, httptest.NewRequest("GET", address, nil))
		if got.Code != 200 || !strings.Contains(got.Body.String(), `<base href="`+base+`"`) {
			t.Errorf("%s: %d, want base %s in %.200s", address, got.Code, base, got.Body)
		}
	}
}

// TestReferenceIsSmall: what the binary carries is bounded.
func TestReferenceIsSmall(t *testing.T) {
	total := 0
	for _, f := range referenceFiles() {
		total += max(len(f.small), 1)
	}
	if total > 600<<10 {
		t.Errorf("the reference is %d bytes compressed", total)
	}
}
