// Package seeds contains the example workflows that `stepgraph dev` loads, that tests run and that
// the documentation explains. They are .cypher files, which also run unchanged in Neo4j Browser;
// there they belong to the workflow "default", because their steps name none. A script of model
// replies for all of them is beside them, so that they run without a model.
package seeds

import (
	"embed"
	"io/fs"
	"strings"
)

// FS holds the workflow files, NAME.cypher, and script.json.
//
//go:embed *.cypher script.json
var FS embed.FS

// Names lists the workflows in order of name.
func Names() []string {
	files, err := fs.Glob(FS, "*.cypher")
	if err != nil {
		panic(err) // the pattern is a constant
	}
	for i := range files {
		files[i] = strings.TrimSuffix(files[i], ".cypher")
	}
	return files
}

// Workflow returns the .cypher text of a workflow; the error is fs.ErrNotExist for a name
// that is not one of Names.
func Workflow(name string) ([]byte, error) {
	return FS.ReadFile(name + ".cypher")
}

// Script returns the replies to play with them, as a script file of package models/script.
func Script() []byte {
	b, err := FS.ReadFile("script.json")
	if err != nil {
		panic(err) // it is embedded
	}
	return b
}
