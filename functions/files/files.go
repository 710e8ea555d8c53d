package files

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/functions/internal/input"
)

// Limits of one call.
const (
	maxFile    = 8 << 20   // bytes of a file that is read, edited or searched
	maxText    = 256 << 10 // bytes of text that an output holds: as JSON it has at most 1 MB
	maxVisited = 50_000    // files and folders visited by one call
	maxResults = 1000      // entries of a list
	maxSearch  = 256 << 20 // bytes that one search reads
	maxLine    = 500       // bytes of a matching line
	atOnce     = 8         // concurrent calls of one function in one engine
)

// Options configure the file functions. The zero value refuses every call.
type Options struct {
	Dir      string // the folder; if empty, file functions are off
	ReadOnly bool   // writing and editing are refused
	// Hide lists files and folders, absolute paths or patterns, that are invisible although
	// they are in the folder: the engine's own.
	Hide []string
}

// Specs returns all file functions.
func Specs(o Options) []function.Spec {
	f := &folder{options: o}
	specs := []function.Spec{f.readSpec(), f.writeSpec(), f.editSpec(), f.listSpec(), f.findSpec(), f.grepSpec()}
	for i := range specs {
		specs[i].Effects, specs[i].Limit = true, atOnce
		switch {
		case o.Dir == "":
			specs[i].Disabled = `files are off: the operator can name a folder for them, "folder": "…" in the configuration; a workflow cannot`
		case o.ReadOnly && writes(specs[i].Name):
			specs[i].Disabled = "files are only read here: the operator has opened their folder for reading"
		}
	}
	return specs
}

func writes(name string) bool { return name == "file.write" || name == "file.edit" }

// folder is the state that all file functions share.
type folder struct {
	options Options
	// writing serialises calls that write, so that an edit does not lose the change of
	// another.
	writing sync.Mutex
}

// spec describes a function with input In and output Out. needs lists the required fields.
func spec[In, Out any](f *folder, name, description string, needs []string, call func(context.Context, *os.Root, In) (Out, error), examples ...function.Example) function.Spec {
	return function.Spec{
		Name: name, Description: description, Examples: examples,
		Input: schema[In](), Output: schema[Out](),
		Check: input.Check[In](func(text json.RawMessage) []function.Problem { return lacking(text, needs) }),
		Function: function.ObjectFunc(func(ctx context.Context, fields input.Object) (json.RawMessage, error) {
			in, err := input.Bind[In](fields)
			if err != nil {
				return nil, err
			}
			out, err := f.inside(fields, needs, func(root *os.Root) (any, error) { return call(hiding(ctx, f.options.Hide), root, in) })
			if err != nil {
				return nil, err
			}
			return input.Encode(out), nil
		}),
	}
}

// inside makes a call that has the required fields in the configured folder.
func (f *folder) inside(fields input.Object, needs []string, call func(*os.Root) (any, error)) (any, error) {
	if problems := lackingFields(fields, needs); problems != nil {
		return nil, input.Bad("%s", problems[0].Message)
	}
	root, err := os.OpenRoot(f.options.Dir)
	if err != nil {
		return nil, failed("the configured folder cannot be opened: " + cause(err))
	}
	defer root.Close()
	return call(root)
}

func schema[T any]() *jsonschema.Schema { return input.Schema[T]() }

// lacking reports required fields that are missing.
func lacking(text json.RawMessage, needs []string) []function.Problem {
	o, err := input.Parse(text)
	if err != nil {
		return nil
	}
	return lackingFields(o, needs)
}

func lackingFields(given input.Object, needs []string) (problems []function.Problem) {
	for _, name := range needs {
		if given.Get(name) == nil {
			problems = append(problems, function.Problem{Level: "error", Code: "bad_input", Message: "give " + name})
		}
	}
	return problems
}

// local returns a path in the system's notation, relative to the folder; "" is the folder
// itself.
func local(path string) (string, error) {
	if strings.ContainsRune(path, 0) {
		return "", input.Bad("path: %q has a NUL", path)
	}
	if strings.TrimSpace(path) == "" {
		return ".", nil
	}
	clean := filepath.Clean(filepath.FromSlash(path))
	if !filepath.IsLocal(clean) {
		return "", input.Bad("path: want one below the configured folder, not %q", path)
	}
	return clean, nil
}

// shown returns a path in the notation of outputs, with slashes.
func shown(path string) string { return filepath.ToSlash(path) }

func failed(message string) error {
	return &function.CallError{Kind: function.KindFailed, Message: message}
}

// fault describes an error of a path without the name of the operator's folder.
func fault(path string, err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return failed("there is no " + shown(path))
	case errors.Is(err, fs.ErrPermission):
		return failed(shown(path) + " may not be opened")
	}
	return failed(shown(path) + ": " + cause(err))
}

// cause returns the text of a file error without its path.
func cause(err error) string {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err.Error()
	}
	return err.Error()
}
