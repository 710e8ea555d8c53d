package files

import (
	"context"
	"encoding/json"
	"os"
	"strings"

	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/functions/internal/input"
)

// FindInput is the input of file.find.
type FindInput struct {
	Pattern input.Text `json:"pattern,omitempty" jsonschema:"of paths: * and ? stay within a name, ** stands for any folders; without a slash it is looked for everywhere"`
	Path    input.Text `json:"path,omitempty" jsonschema:"the folder to look in; the configured one when absent"`
}

// FindOutput is the output of file.find.
type FindOutput struct {
	Files     []string `json:"files" jsonschema:"paths below the configured folder, in order of names"`
	Count     int      `json:"count"`
	Text      string   `json:"text" jsonschema:"the paths, one a line"`
	Truncated bool     `json:"truncated" jsonschema:"there may be more"`
}

func (f *folder) findSpec() function.Spec {
	s := spec(f, "file.find", "Finds files by their names.", []string{"pattern"}, find,
		function.Example{Title: "All pages", Input: json.RawMessage(`{"pattern": "docs/**/*.md"}`)})
	return checked(s, "pattern", func(pattern string) error {
		_, err := newGlob(pattern)
		return err
	})
}

// find lists the files that match a pattern. It changes nothing.
func find(ctx context.Context, root *os.Root, in FindInput) (FindOutput, error) {
	below, err := visible(ctx, root, string(in.Path))
	if err != nil {
		return FindOutput{}, err
	}
	pattern, err := newGlob(string(in.Pattern))
	if err != nil {
		return FindOutput{}, err
	}
	out, left := FindOutput{Files: []string{}}, newRoom(maxResults)
	out.Truncated, err = walk(ctx, root, below, 0, func(f found) error {
		if f.entry.IsDir() || !pattern.matches(inside(f.path, below)) {
			return nil
		}
		if err := left.take(len(f.path)); err != nil {
			return err
		}
		out.Files = append(out.Files, f.path)
		return nil
	})
	if err != nil {
		return FindOutput{}, err
	}
	out.Count, out.Text = len(out.Files), strings.Join(out.Files, "\n")
	return out, nil
}

// inside returns a path relative to a folder above it.
func inside(path, below string) string { return strings.TrimPrefix(path, shown(below)+"/") }

// checked adds the validation of one field to a function's Check, skipped when the field
// contains references.
func checked(s function.Spec, field string, look func(string) error) function.Spec {
	first := s.Check
	s.Check = func(text json.RawMessage) []function.Problem {
		problems := first(text)
		o, err := input.Parse(text)
		if err != nil || o.Get(field) == nil {
			return problems
		}
		value := input.TextOf(o.Get(field))
		if strings.Contains(value, "@{") {
			return problems
		}
		if err := look(value); err != nil {
			problems = append(problems, function.Problem{Level: "error", Code: "bad_input", Message: err.Error()})
		}
		return problems
	}
	return s
}
