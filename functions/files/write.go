package files

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/google/uuid"

	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/functions/internal/input"
)

// WriteInput is the input of file.write.
type WriteInput struct {
	Path    input.Text      `json:"path,omitempty" jsonschema:"a file below the configured folder; folders on the way are made"`
	Content json.RawMessage `json:"content,omitempty" jsonschema:"what the file holds afterwards: a text as it is, anything else as compact JSON"`
	Create  input.Bool      `json:"create,omitempty" jsonschema:"the file must not exist, or already have this content"`
}

// WriteOutput is the output of file.write.
type WriteOutput struct {
	Path    string `json:"path"`
	Size    int    `json:"size" jsonschema:"bytes"`
	Changed bool   `json:"changed" jsonschema:"false when the file held this already"`
	Text    string `json:"text" jsonschema:"the path"`
}

func (f *folder) writeSpec() function.Spec {
	return spec(f, "file.write", "Writes a file as a whole.", []string{"path", "content"}, f.write,
		function.Example{Title: "Keep a summary", Input: json.RawMessage(`{"path": "summaries/@{SESSION_ID}.md", "content": "@{SESSION_ID}.summary.text"}`)})
}

// write writes a file. If the file already has the content it does nothing, so a repeated call
// is harmless.
func (f *folder) write(ctx context.Context, root *os.Root, in WriteInput) (WriteOutput, error) {
	path, err := visible(ctx, root, string(in.Path))
	if err != nil {
		return WriteOutput{}, err
	}
	content := []byte(input.TextOf(in.Content))
	out := WriteOutput{Path: shown(path), Size: len(content), Text: shown(path)}
	f.writing.Lock()
	defer f.writing.Unlock()
	before, err := contents(root, path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case errors.Is(err, errNotRegular):
		return WriteOutput{}, whole(path, err)
	case err == nil && bytes.Equal(before, content):
		return out, nil
	case bool(in.Create):
		return WriteOutput{}, failed(out.Path + " is there already and holds something else")
	}
	out.Changed = true
	return out, replace(root, path, content)
}

// replace writes a file under a temporary name and renames it, so that readers see it complete
// or not at all.
func replace(root *os.Root, path string, content []byte) error {
	mode := fs.FileMode(0o644)
	if info, err := root.Lstat(path); err == nil {
		if info.Mode()&fs.ModeSymlink != 0 {
			return failed(shown(path) + " is a link: write to what it names")
		}
		mode = info.Mode().Perm()
	}
	dir := filepath.Dir(path)
	if err := root.MkdirAll(dir, 0o755); err != nil {
		return fault(dir, err)
	}
	beside := filepath.Join(dir, ".stepgraph-"+uuid.NewString())
	if err := writeNew(root, beside, content, mode); err != nil {
		_ = root.Remove(beside) // the temporary file may not exist
		return fault(path, err)
	}
	if err := root.Rename(beside, path); err != nil {
		_ = root.Remove(beside)
		return fault(path, err)
	}
	if folder, err := root.Open(dir); err == nil {
		_ = folder.Sync() // not every system supports this
		_ = folder.Close()
	}
	return nil
}

func writeNew(root *os.Root, path string, content []byte, mode fs.FileMode) error {
	file, err := root.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = file.Write(content)
	return errors.Join(err, file.Sync(), file.Close())
}
