// Package flows contains what the editors of Agent Zero and NebulaFlow share: flows are files
// with a name, some are drafts that cannot run yet, and a run is a session.
package flows

import (
	"path"
	"strings"
	"unicode"

	"github.com/stepgraph/stepgraph/compat/internal/wire"
	"github.com/stepgraph/stepgraph/engine"
)

// Properties of workflows that these editors made.
const (
	DraftProperty = "draft"  // a flow that does not run yet, JSON text; the workflow has no steps
	RunOfProperty = "run_of" // the flow it was made for: a version that was run and never saved
)

// ID returns the workflow id of a file name. A path is reduced to its last part.
func ID(file string) (string, error) {
	file = path.Base(strings.ReplaceAll(file, `\`, "/"))
	if end := len(file) - len(".json"); end >= 0 && strings.EqualFold(file[end:], ".json") {
		file = file[:end]
	}
	id := Slug(file)
	if strings.Trim(id, "-_") == "" {
		return "", ErrNoName
	}
	return id, nil
}

// ErrNoName is returned for a name without any character that an id may contain.
var ErrNoName = wire.Refuse("the flow has no name")

// Slug returns the part of a name that ids may contain: lower-case letters, digits, - and
// _, with - for white space.
func Slug(name string) string {
	return strings.Map(func(c rune) rune {
		switch {
		case unicode.IsSpace(c):
			return '-'
		case c == '-' || c == '_' || unicode.IsLetter(c) || unicode.IsDigit(c):
			return unicode.ToLower(c)
		}
		return -1
	}, strings.TrimSpace(name))
}

// Running reports whether a run has not ended.
func Running(s *engine.Session) bool {
	switch s.Status {
	case engine.StatusActive, engine.StatusAwaitingInput, engine.StatusPending, engine.StatusPaused:
		return true
	}
	return false
}

// shownOutput is how many characters of an output an editor shows.
const shownOutput = 500

// Cut returns at most the first 500 characters of a text.
func Cut(text string) string {
	if runes := []rune(text); len(runes) > shownOutput {
		return string(runes[:shownOutput])
	}
	return text
}
