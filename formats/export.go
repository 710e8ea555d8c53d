package formats

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/formats/cypherfile"
	"github.com/stepgraph/stepgraph/formats/diagram"
	"github.com/stepgraph/stepgraph/formats/native"
	"github.com/stepgraph/stepgraph/internal/sorting"
)

// SourceFormat asks Export for the format a workflow came from, which the compilers of
// other systems' files keep as the property PropertySource of the WORKFLOW.
const (
	SourceFormat   = "source"
	PropertySource = "source_format"
)

// Faults of an export that lie in what was asked for, not in the workflow.
var (
	ErrUnknownExport = errors.New("not a format workflows are written in")
	ErrOtherSource   = errors.New("not the format the workflow came from")
)

// A Written is a workflow as the text of a file.
type Written struct {
	Format    string // the name of the format, never SourceFormat
	Text      []byte
	MediaType string           // with its charset
	Ending    string           // of a file's name: ".json"
	Notes     []engine.Problem // warnings: what the file says differently or leaves out
}

// A MisfitError reports why a workflow cannot be written in a format: Problems has each step and
// path that the format cannot express.
type MisfitError struct {
	Workflow string
	Format   string
	Problems []engine.Problem // at least one of level "error", first
}

// Error counts the problems and gives the first.
func (e *MisfitError) Error() string {
	text := fmt.Sprintf("workflow %q does not fit the format %s any more", e.Workflow, e.Format)
	if len(e.Problems) == 0 {
		return text
	}
	if more := len(e.Problems) - 1; more > 0 {
		text += fmt.Sprintf(" (%d problems)", more+1)
	}
	return text + ": " + e.Problems[0].Message
}

// An exporter writes workflows in one format.
type exporter struct {
	name      string
	mediaType string
	ending    string
	source    bool // only workflows that came from a file of the format
	write     func(*engine.Workflow) ([]byte, []engine.Problem, error)
}

const (
	plainText = "text/plain; charset=utf-8"
	jsonText  = "application/json"
	yamlText  = "application/yaml"
)

// exporters are our own formats, and those of other systems that can be written back.
func exporters() []exporter {
	list := []exporter{
		{name: "cypher", mediaType: plainText, ending: ".cypher", write: writeCypher},
		{name: "json", mediaType: jsonText, ending: ".json", write: always(native.Write)},
		{name: "yaml", mediaType: yamlText, ending: ".yaml", write: always(native.WriteYAML)},
		{name: "mermaid", mediaType: plainText, ending: ".mmd", write: drawMermaid},
		{name: "dot", mediaType: plainText, ending: ".dot", write: drawDOT},
	}
	for _, f := range All() {
		if f, ok := f.(foreign); ok && f.export != nil {
			list = append(list, exporter{name: f.name, mediaType: jsonText, ending: ".json", source: true, write: f.export})
		}
	}
	return list
}

// always is a format in which everything can be said.
func always(write func(*engine.Workflow) ([]byte, error)) func(*engine.Workflow) ([]byte, []engine.Problem, error) {
	return func(w *engine.Workflow) ([]byte, []engine.Problem, error) {
		text, err := write(w)
		return text, nil, err
	}
}

func writeCypher(w *engine.Workflow) ([]byte, []engine.Problem, error) {
	text, err := cypherfile.Write(w)
	return text, cypherfile.LeftOut(w), err
}

func drawMermaid(w *engine.Workflow) ([]byte, []engine.Problem, error) {
	text, problems := diagram.Mermaid(w)
	return text, problems, nil
}

func drawDOT(w *engine.Workflow) ([]byte, []engine.Problem, error) { return diagram.DOT(w), nil, nil }

// ExportFormats are the names Export takes, SourceFormat last.
func ExportFormats() []string {
	var names []string
	for _, x := range exporters() {
		names = append(names, x.name)
	}
	return append(names, SourceFormat)
}

// Export writes a workflow in a format. The error is ErrUnknownExport for a name that is not in
// ExportFormats, ErrOtherSource for a format of another system from which the workflow was not
// imported, and a *MisfitError if the format cannot express the workflow; then nothing is
// written.
func Export(w *engine.Workflow, format string) (Written, error) {
	list := exporters()
	from, _ := w.Extra[PropertySource].(string)
	if format == SourceFormat {
		if from == "" {
			return Written{}, fmt.Errorf("workflow %q: %w: it did not come from a file of another system; write it as cypher, json or yaml", w.ID, ErrOtherSource)
		}
		format = from
	}
	at := slices.IndexFunc(list, func(x exporter) bool { return x.name == format })
	if at < 0 {
		return Written{}, fmt.Errorf("%q: %w: want %s", format, ErrUnknownExport, strings.Join(ExportFormats(), ", "))
	}
	x := list[at]
	if x.source && from != x.name {
		return Written{}, fmt.Errorf("workflow %q: %w: %s", w.ID, ErrOtherSource, otherSource(from, x.name))
	}
	return x.export(w)
}

func otherSource(from, wanted string) string {
	if from == "" {
		return "only what was loaded from a " + wanted + " file is written as one; write it as cypher, json or yaml"
	}
	return "it is from " + from + ", not from " + wanted
}

func (x *exporter) export(w *engine.Workflow) (Written, error) {
	text, problems, err := x.write(w)
	if err != nil {
		return Written{}, fmt.Errorf("write as %s: %w", x.name, err)
	}
	sorting.Stable(problems, func(a, b *engine.Problem) int { return rank(*a) - rank(*b) })
	if len(problems) > 0 && rank(problems[0]) == 0 {
		return Written{}, &MisfitError{Workflow: w.ID, Format: x.name, Problems: problems}
	}
	return Written{Format: x.name, Text: text, MediaType: x.mediaType, Ending: x.ending, Notes: problems}, nil
}

// Update gives the text of a file of ours in YAML the content of a workflow and keeps the
// comments of what did not change. Nothing changed: the text as it was.
func Update(w *engine.Workflow, file string, text []byte) ([]byte, error) {
	text = bytes.TrimPrefix(text, []byte("\uFEFF"))
	if !(yamlFormat{}).Recognise(file, text) {
		return nil, fmt.Errorf("%s: %w: only a file in YAML keeps comments", file, ErrUnknownExport)
	}
	return native.UpdateYAML(w, WorkflowName(file), text)
}

// Schema is the JSON Schema of our own workflow files, JSON and YAML, with the inputs of the
// functions of a registry.
func Schema(r *engine.Registry) []byte { return native.Schema(r) }

// rank puts errors before warnings.
func rank(p engine.Problem) int {
	if p.Level == "error" {
		return 0
	}
	return 1
}
