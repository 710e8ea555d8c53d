package source

import (
	"encoding/json"

	"github.com/stepgraph/stepgraph/engine"
)

// A File is the result of compiling one file. Nothing has been stored or run.
type File struct {
	// Workflows are the compiled graphs. One without an ID gets the file's name.
	Workflows []engine.Workflow
	// Lines holds the positions of steps and paths in the file, for each workflow in order.
	Lines []Lines
	// Notes are warnings: settings that are still missing, and differences in behaviour.
	Notes []engine.Problem
	// Saved is the state of a run that the file contains, if its format has one. It becomes a
	// session only on request (load --with-state).
	Saved *Saved
}

// Lines maps the ids of a workflow's steps and paths to lines of the file, from 1.
type Lines struct {
	Steps map[string]int
	Paths map[string]int
}

// Saved is the state of a run in a file, from which a session can continue: see
// engine.StartRequest for Outputs and Seeds.
type Saved struct {
	Workflow string                     // "" for the file's one workflow
	Outputs  map[string]json.RawMessage // by step or name: what references give
	Seeds    map[string]json.RawMessage // by step: what it ends with instead of running
	Done     []string                   // steps that had completed
}
