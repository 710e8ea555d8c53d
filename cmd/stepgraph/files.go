package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/formats"
)

// A source is a workflow and where it was read.
type source struct {
	file     string
	workflow *engine.Workflow
	lines    formats.Lines
	start    *engine.StartRequest // of a session that goes on from the file's state; nil: it has none
}

// readSources reads workflow files, and those of the folders among them. All faults of
// all files come as one error; then there are no sources.
func (a *app) readSources(names []string) ([]source, []engine.Problem, error) {
	files, err := workflowFiles(names)
	if err != nil {
		return nil, nil, err
	}
	var all []source
	var notes []engine.Problem
	var faults []error
	for _, file := range files {
		loaded, err := a.readWorkflowFile(file)
		if err != nil {
			faults = append(faults, err)
			continue
		}
		notes = append(notes, loaded.Notes...)
		faults = append(faults, faultsOf(file, &loaded)...)
		all = append(all, sourcesOf(file, &loaded)...)
	}
	if len(faults) > 0 {
		return nil, nil, errors.Join(faults...)
	}
	if len(all) == 0 {
		return nil, nil, fmt.Errorf("%s: no workflow in it", strings.Join(names, ", "))
	}
	return all, notes, nil
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

func (a *app) readWorkflowFile(file string) (formats.Loaded, error) {
	text, err := a.readFile(file)
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

const levelError = "error"

// workflowFiles replaces folders by the workflow files in them, in order of name.
func workflowFiles(names []string) ([]string, error) {
	var files []string
	for _, name := range names {
		info, err := os.Stat(name)
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

// filesBelow finds what looks like a workflow file in a folder: any .cypher file, and
// JSON that some format knows.
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
	case ".json":
		text, err := os.ReadFile(name)
		if err != nil {
			return false
		}
		for _, f := range formats.All() {
			if f.Recognise(name, text) {
				return true
			}
		}
	}
	return false
}

// isFile tells whether a word of the command line names a file rather than a workflow.
func isFile(word string) bool {
	if info, err := os.Stat(word); err == nil {
		return !info.IsDir()
	}
	return word == "-" || strings.ContainsAny(word, `/\`) || looksNamed(word)
}

func looksNamed(word string) bool {
	switch strings.ToLower(filepath.Ext(word)) {
	case ".cypher", ".cql", ".cyp", ".json":
		return true
	}
	return false
}

func isFolder(word string) bool {
	info, err := os.Stat(word)
	return err == nil && info.IsDir()
}
