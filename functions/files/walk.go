package files

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/stepgraph/stepgraph/functions/internal/input"
)

// A found is one file or folder.
type found struct {
	path  string // below the folder, with slashes
	depth int    // 1 for what stands in the folder looked at
	entry fs.DirEntry
}

var errEnough = errors.New("enough")

// walk calls see for what stands below a folder, in order of names, links as links; see may
// end it with errEnough. truncated tells that not everything was seen.
func walk(ctx context.Context, root *os.Root, below string, depth int, see func(found) error) (truncated bool, err error) {
	info, err := root.Stat(below)
	if err != nil {
		return false, fault(below, err)
	}
	if !info.IsDir() {
		return false, failed(shown(below) + " is not a folder")
	}
	visited := 0
	base := shown(below)
	err = fs.WalkDir(root.FS(), base, func(at string, entry fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case at == base:
			return err
		case err != nil: // it cannot be read, or is gone: the rest can
			truncated = true
			return fs.SkipDir
		}
		if isHidden(ctx, root, at) {
			if entry.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		if visited++; visited > maxVisited {
			truncated = true
			return errEnough
		}
		f := found{path: at, depth: strings.Count(strings.TrimPrefix(at, base+"/"), "/") + 1, entry: entry}
		if err := see(f); err != nil {
			truncated = truncated || errors.Is(err, errEnough)
			return err
		}
		if entry.IsDir() && depth > 0 && f.depth >= depth {
			return fs.SkipDir
		}
		return nil
	})
	if err != nil && !errors.Is(err, errEnough) {
		if ctx.Err() != nil {
			return truncated, err
		}
		return truncated, fault(below, err)
	}
	return truncated, nil
}

// room is what an output has left for entries and their texts.
type room struct{ entries, bytes int }

func newRoom(entries int) room { return room{entries, maxText} }

// take is errEnough when an entry of so many bytes does not fit any more.
func (r *room) take(bytes int) error {
	if r.entries--; r.entries < 0 {
		return errEnough
	}
	if r.bytes -= bytes; r.bytes < 0 {
		return errEnough
	}
	return nil
}

// A glob is a pattern of paths: * and ? stay within a name, ** stands for any folders. One
// without a slash is looked for in every folder.
type glob []string

func newGlob(pattern string) (glob, error) {
	pattern = filepath.ToSlash(strings.TrimSpace(pattern))
	if !strings.Contains(pattern, "/") {
		pattern = "**/" + pattern
	}
	parts := strings.Split(strings.TrimPrefix(pattern, "/"), "/")
	stars := 0
	for _, part := range parts {
		if _, err := path.Match(part, ""); err != nil {
			return nil, input.Bad("pattern: %q is not a pattern of paths", pattern)
		}
		if part == "**" {
			stars++
		}
	}
	if stars > 4 {
		return nil, input.Bad("pattern: %q has more than four **", pattern)
	}
	return parts, nil
}

func (g glob) matches(name string) bool { return matches(g, strings.Split(name, "/")) }

func matches(pattern, name []string) bool {
	for len(pattern) > 0 {
		if pattern[0] == "**" {
			for skip := range len(name) + 1 {
				if matches(pattern[1:], name[skip:]) {
					return true
				}
			}
			return false
		}
		if len(name) == 0 {
			return false
		}
		if ok, err := path.Match(pattern[0], name[0]); !ok || err != nil {
			return false
		}
		pattern, name = pattern[1:], name[1:]
	}
	return len(name) == 0
}
