package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"

	"github.com/stepgraph/stepgraph/formats"
	"github.com/stepgraph/stepgraph/internal/near"
)

// readSources reads workflow files, and those of the folders among them. All faults of
// all files come as one error; then there are no sources.
func (r *sources) readSources(names []string) ([]source, error) {
	read, err := r.readFiles(names)
	if err != nil {
		return nil, err
	}
	if len(read.faults) > 0 {
		return nil, errors.Join(read.faults...)
	}
	return read.sources, nil
}

// A reading is what was read of several files: the workflows of the files without faults, and
// the faults of the others.
type reading struct {
	sources []source
	notes   []locatedProblem
	faults  []error
}

// readFiles reads workflow files, and those of the folders among them. Files that hold no
// workflow at all are an error.
func (r *sources) readFiles(names []string) (reading, error) {
	files, err := workflowFiles(names)
	if err != nil {
		return reading{}, err
	}
	var read reading
	for _, file := range files {
		loaded, err := r.readWorkflowFile(file)
		if err != nil {
			read.faults = append(read.faults, err)
			continue
		}
		for _, n := range loaded.Notes {
			read.notes = append(read.notes, locatedProblem{file, n})
		}
		if faults := faultsOf(file, &loaded); len(faults) > 0 {
			read.faults = append(read.faults, faults...)
			continue
		}
		read.sources = append(read.sources, sourcesOf(file, &loaded)...)
	}
	if len(read.sources) == 0 && len(read.faults) == 0 {
		return reading{}, fmt.Errorf("%s: no workflow in it", strings.Join(names, ", "))
	}
	return read, nil
}

// sourcesOf are the workflows of one file.
func sourcesOf(file string, loaded *formats.Loaded) []source {
	var all []source
	start, saved := loaded.Start()
	for i := range loaded.Workflows {
		s := source{file: file, workflow: &loaded.Workflows[i]}
		if saved && start.Workflow == s.workflow.ID {
			s.start = &start
		}
		if i < len(loaded.Lines) {
			s.lines = loaded.Lines[i]
		}
		all = append(all, s)
	}
	return all
}

func (r *sources) readWorkflowFile(file string) (formats.Loaded, error) {
	text, err := r.readFile(file)
	if err != nil {
		return formats.Loaded{}, err
	}
	return formats.Load(file, text)
}

// faultsOf are the problems of a file that would lose something if it were loaded.
func faultsOf(file string, loaded *formats.Loaded) []error {
	var faults []error
	for _, p := range loaded.Problems() {
		if p.Level == levelError {
			faults = append(faults, fmt.Errorf("%s:%d:1: %s", file, max(p.Line, 1), p.Message))
		}
	}
	return faults
}

// noFile is the error for a file that is not there, with the files that may have been meant.
func noFile(name string) error {
	var names []string
	entries, _ := os.ReadDir(filepath.Dir(name)) // no folder: no hint
	for _, entry := range entries {
		if looksNamed(entry.Name()) {
			names = append(names, entry.Name())
		}
	}
	hint := ""
	if found := near.Names(filepath.Base(name), names, 3); len(found) > 0 {
		hint = "; did you mean " + strings.Join(found, " or ") + "?"
	}
	return notFoundf("there is no file %s%s", name, hint)
}

// workflowFiles replaces folders by the workflow files in them, in order of name.
func workflowFiles(names []string) ([]string, error) {
	var files []string
	for _, name := range names {
		info, err := os.Stat(name)
		if name != "-" && errors.Is(err, fs.ErrNotExist) {
			return nil, noFile(name)
		}
		if name != "-" && err != nil {
			return nil, err
		}
		if name == "-" || !info.IsDir() {
			files = append(files, name)
			continue
		}
		below, err := filesBelow(name)
		if err != nil {
			return nil, err
		}
		files = append(files, below...)
	}
	return files, nil
}

// filesBelow finds the workflow files in a folder: .cypher files, JSON that some format
// knows, YAML that says that it is one, and JSON that does not parse, because a broken
// workflow file must not pass unseen.
func filesBelow(folder string) ([]string, error) {
	var files []string
	err := filepath.WalkDir(folder, func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && name != folder && strings.HasPrefix(entry.Name(), "."):
			return filepath.SkipDir
		case !entry.IsDir() && looksLikeWorkflow(name):
			files = append(files, name)
		}
		return nil
	})
	sort.Strings(files)
	return files, err
}

func looksLikeWorkflow(name string) bool {
	switch strings.ToLower(filepath.Ext(name)) {
	case ".cypher", ".cql", ".cyp":
		return true
	case ".json", ".yaml", ".yml":
		text, err := os.ReadFile(name)
		return err != nil || formats.Recognised(name, text) // what cannot be read is reported when it is loaded
	}
	return false
}

// isFile reports whether a word of the command line names a file rather than a workflow.
func isFile(word string) bool {
	if info, err := os.Stat(word); err == nil {
		return !info.IsDir()
	}
	return word == "-" || strings.ContainsAny(word, `/\`) || looksNamed(word)
}

func looksNamed(word string) bool {
	switch strings.ToLower(filepath.Ext(word)) {
	case ".cypher", ".cql", ".cyp", ".json", ".yaml", ".yml":
		return true
	}
	return false
}

func isFolder(word string) bool {
	info, err := os.Stat(word)
	return err == nil && info.IsDir()
}

// onlySource reads the one workflow of a file: the one that is named, else the only one.
func (r *sources) onlySource(file, name string) (*source, error) {
	sources, err := r.readSources([]string{file})
	if err != nil {
		return nil, r.faults(err)
	}
	var ids []string
	for i := range sources {
		if id := sources[i].workflow.ID; id == name || name == "" && len(sources) == 1 {
			return &sources[i], nil
		}
		ids = append(ids, sources[i].workflow.ID)
	}
	if name != "" {
		return nil, notFoundf("%s: no workflow %q in it (there is: %v)", file, name, ids)
	}
	return nil, usagef("%s holds the workflows %v: load it, or say which with --workflow", file, ids)
}

// faults prints the faults of files as they are, one a line.
func (r *sources) faults(err error) error {
	var exit *exitError
	if errors.As(err, &exit) || errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, line := range strings.Split(err.Error(), "\n") {
		r.printErr("%s", line)
	}
	return ended(exitFailed)
}
