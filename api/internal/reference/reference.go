// Package reference holds the page at /docs: Swagger UI, as it is published and compressed,
// around the API's own document. The library is committed, so that the page works offline and Go
// builds without Node; studio/reference.mjs copies it, and CI fails where the copy is old.
package reference

import (
	"embed"
	"io/fs"
)

//go:embed files
var embedded embed.FS

// Files are the page's files: index.html, its script and style, and the library's, which are compressed, with its license.
func Files() fs.FS {
	files, err := fs.Sub(embedded, "files")
	if err != nil {
		panic("reference: " + err.Error()) // files is embedded
	}
	return files
}
