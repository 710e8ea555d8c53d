package files

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"unicode/utf8"

	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/functions/internal/input"
)

// ReadInput is the input of file.read.
type ReadInput struct {
	Path     input.Text `json:"path,omitempty" jsonschema:"a file below the configured folder"`
	Line     *input.Int `json:"line,omitempty" jsonschema:"the first line that is given, from 1; 1 when absent"`
	Lines    *input.Int `json:"lines,omitempty" jsonschema:"how many lines are given; all when absent"`
	Encoding input.Text `json:"encoding,omitempty" jsonschema:"text (the default) or base64, for files that are not text"`
	Optional input.Bool `json:"optional,omitempty" jsonschema:"a file that is not there is an output with exists false and no text, not an error"`
}

// ReadOutput is the output of file.read.
type ReadOutput struct {
	Path      string `json:"path"`
	Exists    bool   `json:"exists"`
	Text      string `json:"text" jsonschema:"the file, or the lines asked for; base64 where that was asked for"`
	Size      int64  `json:"size" jsonschema:"bytes of the whole file"`
	Lines     int    `json:"lines" jsonschema:"lines of the whole file"`
	Truncated bool   `json:"truncated" jsonschema:"the requested part is larger than an output may be"`
}

func (f *folder) readSpec() function.Spec {
	return spec(f, "file.read", "Reads a text file, or some lines of it.", []string{"path"}, read,
		function.Example{Title: "Some lines", Input: json.RawMessage(`{"path": "notes/today.md", "line": 10, "lines": 5}`)})
}

// read reads a file. It changes nothing, so a repeated call is harmless.
func read(ctx context.Context, root *os.Root, in ReadInput) (ReadOutput, error) {
	path, err := visible(ctx, root, string(in.Path))
	if err != nil {
		return ReadOutput{}, err
	}
	out := ReadOutput{Path: shown(path), Exists: true}
	content, err := contents(root, path)
	if errors.Is(err, fs.ErrNotExist) && bool(in.Optional) {
		return ReadOutput{Path: shown(path)}, nil
	}
	if err != nil {
		return ReadOutput{}, whole(path, err)
	}
	out.Size = int64(len(content))
	switch strings.ToLower(string(in.Encoding)) {
	case "base64":
		if len(content) > maxText/4*3 {
			return ReadOutput{}, failed(fmt.Sprintf("%s has %d bytes, at most %d are read as base64", out.Path, len(content), maxText/4*3))
		}
		out.Text = base64.StdEncoding.EncodeToString(content)
		return out, nil
	case "", "text":
	default:
		return ReadOutput{}, input.Bad("encoding: want text or base64, not %q", in.Encoding)
	}
	if binary(content) {
		return ReadOutput{}, failed(out.Path + ` is not text: read it with "encoding": "base64"`)
	}
	out.Lines = lineCount(content)
	chosen, err := someLines(content, in.Line, in.Lines)
	if err != nil {
		return ReadOutput{}, err
	}
	out.Text, out.Truncated = cut(chosen, maxText)
	return out, nil
}

var errNotRegular = errors.New("it is not a regular file")

// contents reads a whole file. Pipes and devices are refused before they are opened, since
// opening them could block for ever.
func contents(root *os.Root, path string) ([]byte, error) {
	info, err := root.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errNotRegular
	}
	file, err := root.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	content, err := io.ReadAll(io.LimitReader(file, maxFile+1))
	if err == nil && len(content) > maxFile {
		err = fmt.Errorf("larger than %d bytes", maxFile)
	}
	return content, err
}

func whole(path string, err error) error {
	if errors.Is(err, errNotRegular) {
		return failed(shown(path) + " is a folder or another thing that is not a file")
	}
	return fault(path, err)
}

// binary reports whether a file is not text: it has a NUL byte near its beginning, or is not
// valid UTF-8.
func binary(content []byte) bool {
	return bytes.IndexByte(content[:min(len(content), 8000)], 0) >= 0 || !utf8.Valid(content)
}

func lineCount(content []byte) int {
	n := bytes.Count(content, []byte("\n"))
	if len(content) > 0 && content[len(content)-1] != '\n' {
		n++
	}
	return n
}

func someLines(content []byte, first, count *input.Int) (string, error) {
	if first != nil && *first < 1 || count != nil && *count < 0 {
		return "", input.Bad("line counts from 1, lines from 0")
	}
	if first != nil {
		for range int(*first) - 1 {
			_, rest, found := bytes.Cut(content, []byte("\n"))
			if !found {
				return "", nil
			}
			content = rest
		}
	}
	if count == nil {
		return string(content), nil
	}
	end := 0
	for range int(*count) {
		n := bytes.IndexByte(content[end:], '\n')
		if n < 0 {
			return string(content), nil
		}
		end += n + 1
	}
	return string(content[:end]), nil
}

// cut shortens a text to at most most bytes, at a character boundary, and reports whether it
// did.
func cut(text string, most int) (string, bool) {
	if len(text) <= most {
		return text, false
	}
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most], true
}
