package cypherfile

import "github.com/stepgraph/stepgraph/engine"

// A File is what a workflow file holds.
type File struct {
	// Workflows has one entry for each value of the property workflow of its STEPs, in the
	// order of that value. Steps without the property are together under the ID "", unless
	// the file has exactly one WORKFLOW node that nothing else claims: then under its id.
	// The caller names what has no ID. Each is normalized, and its Problems carry lines.
	Workflows []engine.Workflow
	// Lines has the lines of each workflow, in the order of Workflows.
	Lines []Lines
	// Notes are problems of the file that belong to no workflow of it.
	Notes []engine.Problem
}

// Lines tells where in the file a workflow's steps and paths are made, counted from 1, by
// id (of paths: the one that graph.NamePaths gives where none is stored).
type Lines struct {
	Steps map[string]int
	Paths map[string]int
}

// Parse reads and runs a workflow file. The error is an *Error with the place of the
// first fault; name is the file's name for it. What Neo4j would run but a workflow cannot
// hold is in Problems and Notes, never left out in silence.
func Parse(name string, src []byte) (*File, error) {
	s, err := newSource(name, src)
	if err != nil {
		return nil, err
	}
	statements, err := prepare(s)
	if err != nil {
		return nil, s.located(err)
	}
	g, err := evaluate(statements)
	if err != nil {
		return nil, s.located(err)
	}
	return collect(s, g, statements), nil
}

// prepare does all that needs no graph.
func prepare(s *source) ([]*statement, error) {
	statements, err := parse(lex(s))
	if err != nil {
		return nil, err
	}
	for _, st := range statements {
		if err := resolve(st); err != nil {
			return nil, err
		}
	}
	return statements, nil
}
