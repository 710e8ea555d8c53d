package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"sort"
	"strings"

	"github.com/stepgraph/stepgraph/formats"

	formatsource "github.com/stepgraph/stepgraph/compat/source"
	"github.com/stepgraph/stepgraph/engine"
)

// A position is a position in a file: line and column count from 1.
type position struct {
	file         string
	line, column int
}

// positions has the positions of steps and paths in their files: by workflow, and in it by
// "step ID" and "path ID".
type positions map[string]map[string]position

// positionsOf finds the positions of all steps and paths of the sources.
func positionsOf(sources []source, workflow string) positions {
	all := positions{}
	for i := range sources {
		s := &sources[i]
		id := s.workflow.ID
		if workflow != "" {
			id = workflow
		}
		if all[id] == nil {
			all[id] = map[string]position{}
		}
		at := columnsOf(s.file)
		for step, line := range s.lines.Steps {
			all[id]["step "+step] = position{s.file, line, at.column("steps", step, line)}
		}
		for path, line := range s.lines.Paths {
			all[id]["path "+path] = position{s.file, line, at.column("paths", path, line)}
		}
		all[id][""] = position{s.file, 1, 1}
	}
	return all
}

// of gives problems their places. What names neither step nor path belongs to the file.
func (p positions) of(workflow string, problems []engine.Problem) []locatedProblem {
	found := make([]locatedProblem, 0, len(problems))
	for _, one := range problems {
		at, known := p[workflow]["path "+one.Path]
		if !known {
			at, known = p[workflow]["step "+one.Step]
		}
		if !known {
			at = p[workflow][""]
		}
		if one.Line == 0 {
			one.Line = at.line
		}
		if one.Line == at.line {
			one.Column = at.column
		}
		if at.file == "" {
			at.file = workflow
		}
		found = append(found, locatedProblem{at.file, one})
	}
	return found
}

// inFileOrder sorts problems by file, line and column; what has no line comes first.
func inFileOrder(found []locatedProblem) {
	order := map[string]int{}
	for i := range found {
		if _, known := order[found[i].where]; !known {
			order[found[i].where] = len(order)
		}
	}
	sort.SliceStable(found, func(i, j int) bool {
		a, b := &found[i], &found[j]
		if order[a.where] != order[b.where] {
			return order[a.where] < order[b.where]
		}
		if a.Line != b.Line {
			return a.Line < b.Line
		}
		return a.Column < b.Column
	})
}

// columns finds columns in one file. In a native document it is where each step begins; in
// other formats it is where the text of the line begins.
type columns struct {
	lines [][]byte
	exact map[string]int
}

func columnsOf(file string) *columns {
	c := &columns{exact: map[string]int{}}
	text, err := os.ReadFile(file)
	if err != nil {
		return c // it was read from stdin: columns are 1
	}
	c.lines = bytes.Split(text, []byte("\n"))
	var document struct {
		Steps []struct {
			ID string `json:"id"`
		} `json:"steps"`
		Paths []struct {
			ID     string `json:"id"`
			Source string `json:"source"`
			Target string `json:"target"`
		} `json:"paths"`
	}
	if json.Unmarshal(text, &document) != nil {
		return c
	}
	index := formatsource.NewIndex(text)
	for i, s := range document.Steps {
		_, c.exact["steps "+s.ID] = index.Locate(fmt.Sprintf("/steps/%d", i))
	}
	for i, p := range document.Paths {
		if p.ID == "" { // as the engine names it: the second of a pair is source>target#2
			p.ID = p.Source + ">" + p.Target
			for n := 2; c.exact["paths "+p.ID] > 0; n++ {
				p.ID = fmt.Sprintf("%s>%s#%d", p.Source, p.Target, n)
			}
		}
		_, c.exact["paths "+p.ID] = index.Locate(fmt.Sprintf("/paths/%d", i))
	}
	return c
}

func (c *columns) column(kind, id string, line int) int {
	if at := c.exact[kind+" "+id]; at > 0 {
		return at
	}
	if line < 1 || line > len(c.lines) {
		return 1
	}
	text := string(c.lines[line-1])
	return 1 + len(text) - len(strings.TrimLeft(text, " \t"))
}

// A locatedProblem problem says which file or workflow it is in.
type locatedProblem struct {
	where string
	engine.Problem
}

// A source is a workflow and where it was read.
type source struct {
	file     string
	workflow *engine.Workflow
	lines    formats.Lines
	start    *engine.StartRequest // of a session that goes on from the file's state; nil: it has none
}

const levelError = "error"
