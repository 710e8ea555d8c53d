package formats

import (
	"bytes"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/stepgraph/stepgraph/compat/agentzero"
	"github.com/stepgraph/stepgraph/compat/callcentre"
	"github.com/stepgraph/stepgraph/compat/flowise"
	"github.com/stepgraph/stepgraph/compat/nebulaflow"
	"github.com/stepgraph/stepgraph/compat/source"
	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/formats/cypherfile"
	"github.com/stepgraph/stepgraph/formats/native"
)

// A Format is one kind of workflow file.
type Format interface {
	// Name is what people call it: "cypher", "stepgraph".
	Name() string
	// Recognise reports whether a file looks like this format, by its name and content. It must
	// also recognise a file of this format with errors, so that Parse can report them.
	Recognise(name string, src []byte) bool
	// Parse reads a file. Workflows without ID are named by Load. Errors of syntax carry
	// file, line and column; what cannot be expressed is an error that names it.
	Parse(name string, src []byte) (Loaded, error)
}

// All is every format, in the order in which they are asked. A format that is known by
// less comes later.
func All() []Format {
	return []Format{
		stepgraphFormat{},
		foreign{"agentzero", agentzero.Recognise, agentzero.Parse, agentzero.Export},
		foreign{"callcentre", callcentre.Recognise, callcentre.Parse, callcentre.Export},
		foreign{"flowise", flowise.Recognise, flowise.Parse, flowise.Export},
		foreign{"nebulaflow", nebulaflow.Recognise, nebulaflow.Parse, nebulaflow.Export},
		yamlFormat{},
		cypherFormat{},
	}
}

// foreign is a format of another system, compiled to our graph and written back from it.
type foreign struct {
	name      string
	recognise func(name string, src []byte) bool
	parse     func(name string, src []byte) (source.File, error)
	export    func(w *engine.Workflow) ([]byte, []engine.Problem, error) // nil: cannot be written back
}

func (f foreign) Name() string { return f.name }

func (f foreign) Recognise(name string, src []byte) bool {
	return isJSON(src) && f.recognise(name, src)
}

func (f foreign) Parse(name string, src []byte) (Loaded, error) {
	file, err := f.parse(name, src)
	if err != nil {
		return Loaded{}, err
	}
	l := Loaded{Workflows: file.Workflows, Notes: file.Notes, Saved: file.Saved}
	for _, lines := range file.Lines {
		l.Lines = append(l.Lines, Lines(lines))
	}
	return l, nil
}

type cypherFormat struct{}

func (cypherFormat) Name() string { return "cypher" }

func (cypherFormat) Recognise(name string, src []byte) bool {
	switch strings.ToLower(filepath.Ext(name)) {
	case ".cypher", ".cql", ".cyp":
		return true
	case ".json", ".yaml", ".yml":
		return false
	}
	return !isJSON(src) && cypherStart.Match(src)
}

// cypherStart is a clause at the beginning of some line.
var cypherStart = regexp.MustCompile(`(?im)^\s*(CREATE|MERGE|MATCH|OPTIONAL\s+MATCH)\b`)

func (cypherFormat) Parse(name string, src []byte) (Loaded, error) {
	f, err := cypherfile.Parse(name, src)
	if err != nil {
		return Loaded{}, err
	}
	l := Loaded{Workflows: f.Workflows, Notes: f.Notes}
	for _, lines := range f.Lines {
		l.Lines = append(l.Lines, Lines(lines))
	}
	return l, nil
}

type stepgraphFormat struct{}

func (stepgraphFormat) Name() string { return native.Format }

func (stepgraphFormat) Recognise(_ string, src []byte) bool {
	return isJSON(src) && native.Recognise(src)
}

func (stepgraphFormat) Parse(name string, src []byte) (Loaded, error) {
	return ownDocument(native.Read(name, src))
}

// yamlFormat is our own document in YAML.
type yamlFormat struct{}

func (yamlFormat) Name() string { return "yaml" }

// Recognise uses the file name's extension, so that a file with an error in its first lines is
// still recognised, and for other names the line `format: stepgraph`.
func (yamlFormat) Recognise(name string, src []byte) bool {
	switch strings.ToLower(filepath.Ext(name)) {
	case ".yaml", ".yml":
		return true
	case ".json", ".cypher", ".cql", ".cyp":
		return false
	}
	return !isJSON(src) && native.RecogniseYAML(src)
}

func (yamlFormat) Parse(name string, src []byte) (Loaded, error) {
	return ownDocument(native.ReadYAML(name, src))
}

// ownDocument is what a document of our own holds; with an error, what could be read of it.
func ownDocument(w *engine.Workflow, lines native.Lines, err error) (Loaded, error) {
	if w == nil {
		return Loaded{}, err
	}
	return Loaded{Lines: []Lines{Lines(lines)}, Workflows: []engine.Workflow{*w}}, err
}

func isJSON(src []byte) bool {
	src = bytes.TrimLeft(src, " \t\r\n")
	return len(src) > 0 && (src[0] == '{' || src[0] == '[')
}
