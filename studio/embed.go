// Package studio embeds Studio, the web application, as the files that Vite built. They are
// committed, so that go run and go install include it and Go builds without Node. CI builds
// them again and fails if they differ.
package studio

import (
	"embed"
	"io/fs"
)

//go:embed all:dist
var dist embed.FS

// Files are the built files: index.html, icon.svg and assets. Those that end in .gz are compressed;
// their names without it are what the page asks for.
func Files() fs.FS {
	files, err := fs.Sub(dist, "dist")
	if err != nil {
		panic("studio: " + err.Error()) // dist is embedded
	}
	return files
}
