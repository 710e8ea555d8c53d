package api

import (
	"compress/gzip"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"path"
	"regexp"
	"strings"
	"testing"

	"github.com/go-chi/chi/v5"

	"github.com/stepgraph/stepgraph/studio"
)

// TestStudioIsWhole: every file that the document and the stylesheets name was built and is
// served with its type, and nothing comes from another server.
func TestStudioIsWhole(t *testing.T) {
	w := newWorld(t, Options{})
	index := w.do("GET", "/", nil).want(200)
	if index.header.Get("Content-Type") != "text/html; charset=utf-8" {
		t.Errorf("%v", index.header)
	}
	named := regexp.MustCompile(`(?:src|href)="\./([^"]+)"`).FindAllStringSubmatch(index.text, -1)
	if len(named) < 3 {
		t.Fatalf("the document names %d files: %s", len(named), index.text)
	}
	for _, m := range named {
		got := w.do("GET", "/"+m[1], nil).want(200)
		if want := studioTypes[path.Ext(m[1])]; got.header.Get("Content-Type") != want {
			t.Errorf("%s is %q, want %q", m[1], got.header.Get("Content-Type"), want)
		}
	}
	if found := regexp.MustCompile(`(?i)<[^>]+ (style|on[a-z]+)=|<script>|<style>|(src|href)="(https?:)?//`).FindString(index.text); found != "" {
		t.Errorf("the document has %q, which its policy forbids", found)
	}
	err := fs.WalkDir(studio.Files(), ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && studioTypes[path.Ext(strings.TrimSuffix(name, ".gz"))] == "" {
			t.Errorf("%s has no type in studioTypes", name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	w.do("GET", "/assets/nothing.js", nil).problem("not_found")
}

// TestStudioKeepsToItsPolicy: scripts and styles come from files of this server only.
func TestStudioKeepsToItsPolicy(t *testing.T) {
	w := newWorld(t, Options{})
	for _, address := range []string{"/", "/assets/index.js", "/sessions/s1"} {
		policy := w.do("GET", address, nil).want(200).header.Get("Content-Security-Policy")
		for _, part := range []string{"default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src 'self'", "frame-ancestors 'none'", "form-action 'none'"} {
			if !strings.Contains(policy, part) {
				t.Errorf("%s: the policy lacks %s: %s", address, part, policy)
			}
		}
		if strings.Contains(policy, "unsafe") || strings.Contains(policy, "http") {
			t.Errorf("%s: policy %s", address, policy)
		}
	}
}

// TestStudioPagesFindTheirWayBack: the base of each page leads to where Studio is mounted,
// at the root and below a prefix, however the prefix was taken off.
func TestStudioPagesFindTheirWayBack(t *testing.T) {
	w := newWorld(t, Options{})
	handler := New(w.engine, Options{})
	mounted := chi.NewRouter()
	mounted.Mount("/below/here", handler)
	for name, from := range map[string]struct {
		handler http.Handler
		prefix  string
	}{
		"root": {handler, ""}, "StripPrefix": {http.StripPrefix("/below/here", handler), "/below/here"}, "Mount": {mounted, "/below/here"},
	} {
		for address, want := range map[string]string{
			"/": "./", "/workflows": "./", "/inbox": "./", "/workflows/a": "../", "/workflows/": "../", "/sessions/p%2Fstep%2F1%2F0": "../", "/batches/b?x=/y/z": "../",
		} {
			r := httptest.NewRequest("GET", from.prefix+address, nil)
			got := httptest.NewRecorder()
			from.handler.ServeHTTP(got, r)
			if got.Code != 200 || !strings.Contains(got.Body.String(), `<base href="`+want+`"`) {
				t.Errorf("%s %s: %d, want base %s in %.200s", name, address, got.Code, want, got.Body)
			}
		}
	}
}

// TestUnknownAddressInABrowser: a browser gets Studio's page for an unknown address, with the
// status 404; programs, and all addresses of the API, keep the problem in JSON.
func TestUnknownAddressInABrowser(t *testing.T) {
	w := newWorld(t, Options{})
	const browser = "Accept: text/html,application/xhtml+xml,*/*;q=0.8"
	for address, base := range map[string]string{"/nothing": "./", "/nothing/at/all?x=/y": "../../", "/apis": "./"} {
		got := w.do("GET", address, nil, browser).want(404)
		if kind := got.header.Get("Content-Type"); kind != "text/html; charset=utf-8" || !strings.Contains(got.text, `<base href="`+base+`"`) {
			t.Errorf("%s: %s, %.200s", address, kind, got.text)
		}
		w.do("GET", address, nil, browser, "If-None-Match: "+got.header.Get("ETag")).want(404)
		w.do("GET", address, nil).problem("not_found")
		if got := w.do("HEAD", address, nil, browser).want(404); got.text != "" {
			t.Errorf("HEAD %s: %q", address, got.text)
		}
		w.do("POST", address, "{}", browser).problem("not_found")
	}
	for _, address := range []string{"/api/v1/nothing", "/api", "/assets/nothing.js"} {
		w.do("GET", address, nil, browser).problem("not_found")
	}
}

func TestStudioIsCompressedAndAskedForAgain(t *testing.T) {
	w := newWorld(t, Options{})
	plain := w.do("GET", "/assets/index.js", nil).want(200)
	small := w.do("GET", "/assets/index.js", nil, "Accept-Encoding: gzip").want(200)
	if small.header.Get("Content-Encoding") != "gzip" || len(small.text) >= len(plain.text) {
		t.Errorf("%v, %d bytes of %d", small.header, len(small.text), len(plain.text))
	}
	unpacked, err := gzip.NewReader(strings.NewReader(small.text))
	if err != nil {
		t.Fatal(err)
	}
	if text, err := io.ReadAll(unpacked); err != nil || string(text) != plain.text {
		t.Errorf("unpacked %d bytes, want %d: %v", len(text), len(plain.text), err)
	}
	w.do("GET", "/assets/index.js", nil, "If-None-Match: "+plain.header.Get("ETag")).want(http.StatusNotModified)
	if got := w.do("HEAD", "/", nil).want(200); got.text != "" || got.header.Get("ETag") == "" {
		t.Errorf("HEAD: %q %v", got.text, got.header)
	}
}

// TestStudioFirstLoad: what a browser fetches before the first page stands stays small.
func TestStudioFirstLoad(t *testing.T) {
	index := studioFiles()["index.html"]
	total, seen := len(index.body), map[string]bool{}
	var add func(name string)
	add = func(name string) {
		f := studioFiles()[name]
		if f == nil || seen[name] {
			return
		}
		seen[name] = true
		size := len(f.small)
		if size == 0 {
			size = len(f.body)
		}
		total += size
		for _, m := range regexp.MustCompile(`(?:from|import)\s?["']\./([^"']+)["']`).FindAllStringSubmatch(string(f.body), -1) {
			add("assets/" + m[1])
		}
	}
	for _, m := range regexp.MustCompile(`(?:src|href)="\./([^"]+)"`).FindAllStringSubmatch(string(index.body), -1) {
		add(m[1])
	}
	const most = 330 << 10
	t.Logf("%d bytes compressed in %d files", total, len(seen))
	if total > most {
		t.Errorf("the first load is %d bytes compressed, want at most %d: %v", total, most, seen)
	}
	whole := 0
	for _, f := range studioFiles() {
		whole += len(f.body)
	}
	if whole > 2_500_000 {
		t.Errorf("all files are %d bytes, want at most 2,500,000", whole)
	}
}
