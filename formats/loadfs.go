package formats

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/stepgraph/stepgraph/engine"
)

// LoadFS reads the workflow files of a file system that fit one of the patterns of fs.Glob, in
// order of name; without patterns all workflow files at its top. It is for programs that carry
// their workflows in an embed.FS. Every error of every file comes at once, as FILE:LINE:COL.
//
//	//go:embed *.yaml
//	var files embed.FS
//
//	workflows, err := formats.LoadFS(files)
//	for _, w := range workflows {
//		_, err = e.PutWorkflow(ctx, w, "")
//	}
func LoadFS(fsys fs.FS, patterns ...string) ([]*engine.Workflow, error) {
	names, err := matching(fsys, patterns)
	if err != nil {
		return nil, err
	}
	var all []*engine.Workflow
	from := map[string]string{} // file by workflow
	var faults []error
	for _, name := range names {
		text, err := fs.ReadFile(fsys, name)
		if err != nil {
			return nil, err
		}
		if len(patterns) == 0 && !Recognised(name, text) {
			continue
		}
		loaded, err := Load(name, text)
		if err != nil {
			faults = append(faults, err)
			continue
		}
		for _, p := range loaded.Problems() {
			if p.Level == "error" {
				faults = append(faults, fmt.Errorf("%s:%d:1: %s", name, max(p.Line, 1), p.Message))
			}
		}
		for i := range loaded.Workflows {
			w := &loaded.Workflows[i]
			if other := from[w.ID]; other != "" {
				faults = append(faults, fmt.Errorf("%s:1:1: workflow %q is in %s already", name, w.ID, other))
			}
			from[w.ID] = name
			all = append(all, w)
		}
	}
	if len(faults) == 0 && len(all) == 0 {
		return nil, errors.New("no workflow file fits")
	}
	return all, errors.Join(faults...)
}

// matching are the files that fit a pattern, each once; every file at the top without one.
func matching(fsys fs.FS, patterns []string) (names []string, err error) {
	if len(patterns) == 0 {
		patterns = []string{"*"}
	}
	for _, pattern := range patterns {
		found, err := fs.Glob(fsys, pattern)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", pattern, err)
		}
		for _, name := range found {
			if info, err := fs.Stat(fsys, name); err == nil && !info.IsDir() {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}
