// Package reference holds the page at /docs: Swagger UI, as it is published and compressed,
// around the API's own document. The library is committed, so that the page works offline and Go
// builds without Node; studio/reference.mjs copies it, and CI fails where the copy is old.
package reference

import (
	"bytes"
	"compress/gzip"
	"embed"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"
)

//go:embed files
var embedded embed.FS

// Files are the page's files by name, uncompressed: index.html, its script and style, the
// library's, and its license.
func Files() (map[string][]byte, error) {
	files := map[string][]byte{}
	err := fs.WalkDir(embedded, "files", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		body, err := embedded.ReadFile(name)
		if err != nil {
			return err
		}
		name = path.Base(name)
		if plain, packed := strings.CutSuffix(name, ".gz"); packed {
			name = plain
			if body, err = unpack(body); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		}
		files[name] = body
		return nil
	})
	return files, err
}

func unpack(packed []byte) ([]byte, error) {
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(r)
}
