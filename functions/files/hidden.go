package files

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

type hiddenKey struct{}

// hiding stores the paths of the engine's own files in ctx. The patterns are evaluated in
// every call, so files made since the last call are included.
func hiding(ctx context.Context, patterns []string) context.Context {
	var hidden []string
	for _, pattern := range patterns {
		matches, _ := filepath.Glob(pattern) // an invalid pattern is used as a path
		for _, path := range append(matches, pattern) {
			hidden = append(hidden, path)
			if real, err := filepath.EvalSymlinks(path); err == nil {
				hidden = append(hidden, real)
			}
		}
	}
	return context.WithValue(ctx, hiddenKey{}, hidden)
}

// isHidden reports whether a path below root is, or links to, one of the engine's own files.
func isHidden(ctx context.Context, root *os.Root, path string) bool {
	hidden, _ := ctx.Value(hiddenKey{}).([]string)
	if len(hidden) == 0 {
		return false
	}
	full, err := filepath.Abs(filepath.Join(root.Name(), filepath.FromSlash(path)))
	if err != nil {
		return true
	}
	names := []string{full}
	if real, err := filepath.EvalSymlinks(full); err == nil {
		names = append(names, real)
	} else if dir, err := filepath.EvalSymlinks(filepath.Dir(full)); err == nil { // the file does not exist yet
		names = append(names, filepath.Join(dir, filepath.Base(full)))
	}
	return slices.ContainsFunc(hidden, func(h string) bool {
		return slices.ContainsFunc(names, func(name string) bool { return name == h || strings.HasPrefix(name, h+string(filepath.Separator)) })
	})
}

// visible returns the path of a call relative to the folder, or an error if it is one of the
// engine's own files.
func visible(ctx context.Context, root *os.Root, text string) (string, error) {
	path, err := local(text)
	if err == nil && isHidden(ctx, root, path) {
		err = fault(path, fs.ErrPermission)
	}
	return path, err
}
