package files

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/functions/internal/input"
)

// EditInput is the input of file.edit.
type EditInput struct {
	Path input.Text `json:"path,omitempty" jsonschema:"a text file below the configured folder"`
	Old  input.Text `json:"old,omitempty" jsonschema:"the text that is replaced; it must occur in the file exactly once, unless all is true"`
	New  input.Text `json:"new,omitempty" jsonschema:"the text that replaces it; nothing when absent"`
	All  input.Bool `json:"all,omitempty" jsonschema:"replace every occurrence"`
}

// EditOutput is the output of file.edit.
type EditOutput struct {
	Path     string `json:"path"`
	Replaced int    `json:"replaced" jsonschema:"how often; 0 when the edit had been made already"`
	Line     int    `json:"line" jsonschema:"where the first stands, or stood"`
	Text     string `json:"text" jsonschema:"the path"`
}

func (f *folder) editSpec() function.Spec {
	return spec(f, "file.edit", "Replaces a piece of a text file.", []string{"path", "old"}, f.edit,
		function.Example{Title: "Raise a version", Input: json.RawMessage(`{"path": "VERSION", "old": "1.4", "new": "1.5"}`)})
}

// edit replaces text in a file. It ignores occurrences of the old text inside the new text and
// succeeds when only the new text is found, so a repeated call has no further effect.
func (f *folder) edit(ctx context.Context, root *os.Root, in EditInput) (EditOutput, error) {
	path, err := visible(ctx, root, string(in.Path))
	if err != nil {
		return EditOutput{}, err
	}
	from, to := string(in.Old), string(in.New)
	if from == "" || from == to {
		return EditOutput{}, input.Bad("old: want a text to replace, other than new")
	}
	f.writing.Lock()
	defer f.writing.Unlock()
	content, err := contents(root, path)
	if err != nil {
		return EditOutput{}, whole(path, err)
	}
	if binary(content) {
		return EditOutput{}, failed(shown(path) + " is not text")
	}
	text := string(content)
	out := EditOutput{Path: shown(path), Text: shown(path)}
	places := open(text, from, to)
	switch {
	case len(places) == 0:
		done := strings.Index(text, to)
		if to == "" || done < 0 {
			if to == "" && function.CallOf(ctx).Attempt > 1 && !strings.Contains(text, from) {
				return out, nil
			}
			return EditOutput{}, failed(shown(path) + " does not hold the old text")
		}
		out.Line = lineOf(text, done)
		return out, nil
	case len(places) > 1 && !bool(in.All):
		return EditOutput{}, failed(fmt.Sprintf("%s holds the old text %d times, in lines %d and %d among others: give more of what stands around it, or all: true",
			shown(path), len(places), lineOf(text, places[0]), lineOf(text, places[1])))
	}
	out.Replaced, out.Line = len(places), lineOf(text, places[0])
	var edited strings.Builder
	at := 0
	for _, place := range places {
		edited.WriteString(text[at:place] + to)
		at = place + len(from)
	}
	edited.WriteString(text[at:])
	if edited.Len() > maxFile {
		return EditOutput{}, failed(fmt.Sprintf("%s would be larger than %d bytes", shown(path), maxFile))
	}
	return out, replace(root, path, []byte(edited.String()))
}

// open returns the positions of from outside occurrences of to.
func open(text, from, to string) []int {
	inside := strings.Index(to, from)
	var places []int
	for at := 0; ; {
		i := strings.Index(text[at:], from)
		if i < 0 {
			return places
		}
		i += at
		if begin := i - inside; inside >= 0 && begin >= 0 && strings.HasPrefix(text[begin:], to) {
			at = begin + len(to)
			continue
		}
		places = append(places, i)
		at = i + len(from)
	}
}

func lineOf(text string, at int) int { return strings.Count(text[:at], "\n") + 1 }
