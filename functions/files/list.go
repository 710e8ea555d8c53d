package files

import (
	"context"
	"encoding/json"
	"io/fs"
	"os"
	"strings"
	"time"

	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/functions/internal/input"
)

// ListInput is the input of file.list.
type ListInput struct {
	Path  input.Text `json:"path,omitempty" jsonschema:"a folder below the configured one, which is the default"`
	Depth *input.Int `json:"depth,omitempty" jsonschema:"how many folders deep; 1 when absent, 0 is all the way"`
}

// ListOutput is the output of file.list.
type ListOutput struct {
	Entries   []Entry `json:"entries"`
	Text      string  `json:"text" jsonschema:"the paths, one a line, those of folders with a slash at the end"`
	Truncated bool    `json:"truncated" jsonschema:"there are more, or some could not be read"`
}

// An Entry is a file, folder or link.
type Entry struct {
	Path     string `json:"path" jsonschema:"below the configured folder"`
	Kind     string `json:"kind" jsonschema:"file, folder, link or other"`
	Size     int64  `json:"size" jsonschema:"bytes of a file"`
	Modified string `json:"modified,omitempty" jsonschema:"UTC, RFC 3339"`
}

func (f *folder) listSpec() function.Spec {
	return spec(f, "file.list", "Lists a folder.", nil, list,
		function.Example{Title: "A folder and its subfolders", Input: json.RawMessage(`{"path": "docs", "depth": 2}`)})
}

// list lists a folder. It changes nothing.
func list(ctx context.Context, root *os.Root, in ListInput) (ListOutput, error) {
	below, err := visible(ctx, root, string(in.Path))
	if err != nil {
		return ListOutput{}, err
	}
	depth := 1
	if in.Depth != nil {
		depth = max(int(*in.Depth), 0)
	}
	out, left := ListOutput{Entries: []Entry{}}, newRoom(maxResults)
	out.Truncated, err = walk(ctx, root, below, depth, func(f found) error {
		if err := left.take(len(f.path) + 100); err != nil {
			return err
		}
		out.Entries = append(out.Entries, entryOf(f))
		return nil
	})
	if err != nil {
		return ListOutput{}, err
	}
	var lines strings.Builder
	for _, e := range out.Entries {
		lines.WriteString(e.Path)
		if e.Kind == "folder" {
			lines.WriteByte('/')
		}
		lines.WriteByte('\n')
	}
	out.Text = strings.TrimSuffix(lines.String(), "\n")
	return out, nil
}

func entryOf(f found) Entry {
	e := Entry{Path: f.path, Kind: "other"}
	switch kind := f.entry.Type(); {
	case kind.IsRegular():
		e.Kind = "file"
	case kind.IsDir():
		e.Kind = "folder"
	case kind&fs.ModeSymlink != 0:
		e.Kind = "link"
	}
	if info, err := f.entry.Info(); err == nil { // the file may have been removed meanwhile
		e.Modified = info.ModTime().UTC().Format(time.RFC3339)
		if e.Kind == "file" {
			e.Size = info.Size()
		}
	}
	return e
}
