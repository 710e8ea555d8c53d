package files

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"
	"time"

	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/functions/internal/input"
	"github.com/stepgraph/stepgraph/internal/regexcost"
)

// GrepInput is the input of file.grep.
type GrepInput struct {
	Pattern    input.Text `json:"pattern,omitempty" jsonschema:"a regular expression (RE2) that a line matches"`
	Literal    input.Bool `json:"literal,omitempty" jsonschema:"pattern is a text, not an expression"`
	IgnoreCase input.Bool `json:"ignore_case,omitempty" jsonschema:"upper and lower case are equal"`
	Path       input.Text `json:"path,omitempty" jsonschema:"the folder or file to look in; the configured folder when absent"`
	Files      input.Text `json:"files,omitempty" jsonschema:"only files whose path fits this pattern, as in file.find"`
	Limit      *input.Int `json:"limit,omitempty" jsonschema:"how many lines at most; 200 when absent, 1000 at most"`
}

// GrepOutput is the output of file.grep.
type GrepOutput struct {
	Matches   []Match `json:"matches"`
	Count     int     `json:"count"`
	Text      string  `json:"text" jsonschema:"path:line: text of each, one a line"`
	Truncated bool    `json:"truncated" jsonschema:"there may be more: the limit was reached, or files are too large"`
}

// A Match is one matching line.
type Match struct {
	Path string `json:"path"`
	Line int    `json:"line" jsonschema:"from 1"`
	Text string `json:"text" jsonschema:"the line, cut where it is very long"`
}

func (f *folder) grepSpec() function.Spec {
	s := spec(f, "file.grep", "Finds lines in text files.", []string{"pattern"}, grep,
		function.Example{Title: "Open tasks", Input: json.RawMessage(`{"pattern": "\\bto do\\b", "ignore_case": true, "files": "*.md"}`)})
	return checked(s, "files", func(pattern string) error {
		_, err := newGlob(pattern)
		return err
	})
}

// A search is one call of file.grep.
type search struct {
	pattern *regexp.Regexp
	size    int       // instructions of the compiled pattern
	until   time.Time // deadline for matching
	files   glob
	room    room
	left    int // bytes it may still read
	out     GrepOutput
}

// grep searches files for a pattern. It changes nothing.
func grep(ctx context.Context, root *os.Root, in GrepInput) (GrepOutput, error) {
	below, err := visible(ctx, root, string(in.Path))
	if err != nil {
		return GrepOutput{}, err
	}
	s, err := newSearch(in)
	if err != nil {
		return GrepOutput{}, err
	}
	if info, err := root.Stat(below); err == nil && info.Mode().IsRegular() {
		content, err := contents(root, below)
		if err != nil {
			return GrepOutput{}, whole(below, err)
		}
		err = s.look(shown(below), content)
		if errors.Is(err, errSlowPattern) {
			return GrepOutput{}, err
		}
		s.out.Truncated = err != nil
		return s.done(), nil
	}
	skipped := false
	truncated, err := walk(ctx, root, below, 0, func(f found) error {
		if !f.entry.Type().IsRegular() || s.files != nil && !s.files.matches(inside(f.path, below)) {
			return nil
		}
		content, err := contents(root, f.path)
		if err != nil {
			skipped = true
			return nil
		}
		if s.left -= len(content); s.left < 0 {
			return errEnough
		}
		return s.look(f.path, content)
	})
	s.out.Truncated = truncated || skipped
	return s.done(), err
}

func newSearch(in GrepInput) (*search, error) {
	text := string(in.Pattern)
	if len(text) > 10_000 {
		return nil, input.Bad("pattern: longer than 10000 bytes")
	}
	if in.Literal {
		text = regexp.QuoteMeta(text)
	}
	if in.IgnoreCase {
		text = "(?i)" + text
	}
	size, err := regexcost.Of(text)
	if err == nil && size > maxProgram {
		err = errors.New("too large: write smaller numbers of repetitions")
	}
	var pattern *regexp.Regexp
	if err == nil {
		pattern, err = regexp.Compile(text)
	}
	if err != nil {
		return nil, input.Bad("pattern: %v", err)
	}
	s := &search{pattern: pattern, size: max(size, 1), until: time.Now().Add(searchTime), room: newRoom(200), left: maxSearch, out: GrepOutput{Matches: []Match{}}}
	if in.Limit != nil {
		s.room = newRoom(min(max(int(*in.Limit), 1), maxResults))
	}
	if in.Files != "" {
		s.files, err = newGlob(string(in.Files))
	}
	return s, err
}

// Limits of the pattern. The time of a match is at most proportional to the length of the line
// times the size of the pattern's program.
const (
	maxProgram = 20_000
	maxLineOps = 200 << 20
)

// searchTime limits the matching of one call; a variable so that its test can shorten it.
var searchTime = 10 * time.Second

// errSlowPattern ends a search with an error instead of an output, because half the matches
// must not look like all.
var errSlowPattern = input.Bad("pattern: matching it takes longer than %s together; make it simpler, or look in fewer files", searchTime)

// allows returns an error when the time limit has passed, or when this line alone would exceed
// it.
func (s *search) allows(line []byte) error {
	if len(line) > maxLineOps/s.size || time.Now().After(s.until) {
		return errSlowPattern
	}
	return nil
}

// look searches one file; a file that is not text has no matching lines.
func (s *search) look(path string, content []byte) error {
	if binary(content) {
		return nil
	}
	for number := 1; len(content) > 0; number++ {
		line, rest, _ := bytes.Cut(content, []byte("\n"))
		content = rest
		line = bytes.TrimSuffix(line, []byte("\r"))
		if err := s.allows(line); err != nil {
			return err
		}
		if !s.pattern.Match(line) {
			continue
		}
		text, _ := cut(string(line), maxLine)
		if err := s.room.take(len(path) + len(text)); err != nil {
			return err
		}
		s.out.Matches = append(s.out.Matches, Match{Path: path, Line: number, Text: text})
	}
	return nil
}

func (s *search) done() GrepOutput {
	var lines strings.Builder
	for _, m := range s.out.Matches {
		fmt.Fprintf(&lines, "%s:%d: %s\n", m.Path, m.Line, m.Text)
	}
	s.out.Count, s.out.Text = len(s.out.Matches), strings.TrimSuffix(lines.String(), "\n")
	return s.out
}
