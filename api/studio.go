package api

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"path"
	"strings"
	"sync"

	"github.com/go-chi/chi/v5"

	"github.com/stepgraph/stepgraph/studio"
)

// studioPolicy lets Studio load its own files and talk to this server, nothing else. Its
// scripts set styles of single elements through the DOM, which a policy does not concern.
const studioPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; " +
	"worker-src 'self'; manifest-src 'self'; base-uri 'self'; form-action 'none'; frame-ancestors 'none'"

// studioTypes are set here: what a machine says of a suffix differs from machine to machine.
var studioTypes = map[string]string{
	".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8",
	".svg": "image/svg+xml", ".json": "application/json", ".txt": "text/plain; charset=utf-8",
}

// studioPages are the addresses that belong to pages of Studio; each answers with the same
// document, whose script looks at the address.
var studioPages = []string{"/", "/workflows", "/workflows/*", "/inbox", "/sessions", "/sessions/*", "/batches", "/batches/*"}

// A studioFile is one built file as it is sent.
type studioFile struct {
	kind, tag   string
	body, small []byte // small is compressed; nil where that gains little
}

// studioFiles are made once a process, at the first request.
var studioFiles = sync.OnceValue(func() map[string]*studioFile { return readBuilt(studio.Files()) })

// readBuilt returns embedded files by name. Those whose name ends in .gz are compressed and are known by their name without it.
func readBuilt(built fs.FS) map[string]*studioFile {
	files := map[string]*studioFile{}
	err := fs.WalkDir(built, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		body, err := fs.ReadFile(built, name)
		if err != nil {
			return err
		}
		plain, packed := strings.CutSuffix(name, ".gz")
		var small []byte
		if packed {
			small = body
			body, err = unpack(small)
		}
		files[plain] = newStudioFile(studioTypes[path.Ext(plain)], body, small)
		return err
	})
	if err != nil {
		panic("api: " + err.Error()) // the files are embedded
	}
	return files
}

func newStudioFile(kind string, body, small []byte) *studioFile {
	sum := sha256.Sum256(body)
	return &studioFile{kind: kind, tag: `"` + hex.EncodeToString(sum[:12]) + `"`, body: body, small: small}
}

func unpack(small []byte) ([]byte, error) {
	r, err := gzip.NewReader(bytes.NewReader(small))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(r)
}

// mountStudio serves Studio without a token: its files are the same for all users and contain
// nothing. What it shows comes over the API, which asks for one.
func mountStudio(r chi.Router) {
	for _, pattern := range studioPages {
		r.Get(pattern, studioPage)
		r.Head(pattern, studioPage)
	}
	for _, pattern := range []string{"/assets/*", "/icon.svg"} {
		r.Get(pattern, studioAsset)
		r.Head(pattern, studioAsset)
	}
}

func studioPage(w http.ResponseWriter, r *http.Request) {
	sendPage(w, r, http.StatusOK, studioFiles()["index.html"])
}

// opensPage reports whether a request is a browser's that opens an address outside of the API.
func opensPage(r *http.Request) bool {
	address := r.URL.Path + "/"
	return (r.Method == http.MethodGet || r.Method == http.MethodHead) && strings.Contains(r.Header.Get("Accept"), "text/html") &&
		!strings.Contains(address, "/api/") && !strings.Contains(address, "/assets/")
}

// addressBelow is the address below the prefix at which the handler is mounted.
func addressBelow(r *http.Request) string {
	if c := chi.RouteContext(r.Context()); c != nil && c.RoutePath != "" {
		return c.RoutePath // below chi's Mount
	}
	return r.URL.EscapedPath()
}

// sendPage answers with a document. Its base leads back to where the API is mounted by
// going up as many levels as the address has, so that no prefix need be known.
func sendPage(w http.ResponseWriter, r *http.Request, status int, index *studioFile) {
	up := strings.Repeat("../", max(0, strings.Count(addressBelow(r), "/")-1))
	if up == "" {
		up = "./"
	}
	if up != "./" {
		index = newStudioFile(index.kind, bytes.Replace(index.body, []byte(`<base href="./"`), fmt.Appendf(nil, `<base href="%s"`, up), 1), nil)
	}
	index.send(w, r, status)
}

func studioAsset(w http.ResponseWriter, r *http.Request) {
	name := "icon.svg"
	if asset := chi.URLParam(r, "*"); asset != "" {
		name = "assets/" + asset
	}
	f := studioFiles()[name]
	if f == nil {
		noRoute(w, r)
		return
	}
	f.send(w, r, http.StatusOK)
}

// send answers with a file, or with 304 where the client has it. Names carry no hash, so
// clients ask each time.
func (f *studioFile) send(w http.ResponseWriter, r *http.Request, status int) {
	h := w.Header()
	h.Set("Content-Security-Policy", studioPolicy)
	h.Set("Cache-Control", "no-cache")
	h.Set("Vary", "Accept-Encoding")
	h.Set("ETag", f.tag)
	if status == http.StatusOK && strings.Contains(r.Header.Get("If-None-Match"), f.tag) {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	body := f.body
	if f.small != nil && strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		h.Set("Content-Encoding", "gzip")
		body = f.small
	}
	h.Set("Content-Type", f.kind)
	h.Set("Content-Length", fmt.Sprint(len(body)))
	w.WriteHeader(status)
	if r.Method != http.MethodHead {
		_, _ = w.Write(body)
	}
}

// noRoute answers an unknown address: a browser that opens a page gets Studio, whose script says
// that there is no such page; everything else, and all that is below /api, gets a problem.
func noRoute(w http.ResponseWriter, r *http.Request) {
	if opensPage(r) {
		sendPage(w, r, http.StatusNotFound, studioFiles()["index.html"])
		return
	}
	problem("not_found", r.Method+" "+r.URL.Path+": there is no such route; /docs and /openapi.json list the routes").write(w)
}
