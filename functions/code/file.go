package code

import (
	"errors"
	"io"
	"io/fs"
	"os"

	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/functions/internal/input"
)

// load reads a script from the configured folder. os.Root refuses links and .. that lead out
// of it.
func (f stepFunction) load(path string) (string, error) {
	switch {
	case path == "":
		return "", input.Bad("code: there is neither code nor file_path")
	case f.options.Dir == "":
		return "", &function.CallError{Kind: function.KindDisabled, Message: "file_path: script files are off here; put the script into code, or configure a folder of scripts"}
	}
	root, err := os.OpenRoot(f.options.Dir)
	if err != nil {
		return "", err
	}
	defer root.Close()
	file, err := root.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", scriptFault("file_path: there is no script %q in the configured folder", path)
	}
	if err != nil {
		return "", scriptFault("file_path: script %q cannot be read: %v", path, errors.Unwrap(err))
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, maxScript+1))
	if err != nil {
		return "", scriptFault("file_path: script %q cannot be read: %v", path, errors.Unwrap(err))
	}
	return string(text), nil
}
