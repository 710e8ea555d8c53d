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

// A found is one file or folder of a walk.
type found struct {
	path  string // relative to the folder, with slashes
	depth int    // 1 for the entries of the folder itself
	entry fs.DirEntry
}

var errEnough = errors.New("enough")

// walk calls see for every entry below a folder, sorted by name; links are not followed. see
// may end the walk with errEnough. truncated reports that entries were skipped.
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
		case err != nil: // unreadable or removed meanwhile: skip this entry only
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

// room is what an output can still hold: entries, and bytes of their texts.
type room struct{ entries, bytes int }

func newRoom(entries int) room { return room{entries, maxText} }

// take subtracts an entry of so many bytes, or returns errEnough if it does not fit.
func (r *room) take(bytes int) error {
	if r.entries--; r.entries < 0 {
		return errEnough
	}
	if r.bytes -= bytes; r.bytes < 0 {
		return errEnough
	}
	return nil
}

// A glob is a pattern of paths, one element for each part: * and ? match within a name, **
// matches any number of folders. A pattern without a slash matches in every folder.
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
