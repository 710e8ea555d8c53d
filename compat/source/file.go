package source

import (
	"encoding/json"

	"github.com/stepgraph/stepgraph/engine"
)

// A File is what a compiler made of one file. Nothing has been stored or run.
type File struct {
	// Workflows are the compiled graphs. One without an ID gets the file's name.
	Workflows []engine.Workflow
	// Lines tells where steps and paths stand in the file, for each workflow in order.
	Lines []Lines
	// Notes are warnings: what is still to be filled in, what runs differently here.
	Notes []engine.Problem
	// Saved is the state a file carried with it, where its format keeps one; it becomes a
	// session only when people ask for it (load --with-state).
	Saved *Saved
}

// Lines tells where in a file a workflow's steps and paths stand, from 1, by id.
type Lines struct {
	Steps map[string]int
	Paths map[string]int
}

// Saved is the state a file carried, as what a session begins with that goes on from it: see
// engine.StartRequest for Outputs and Seeds.
type Saved struct {
	Workflow string                     // "" for the file's one workflow
	Outputs  map[string]json.RawMessage // by step or name: what references give
	Seeds    map[string]json.RawMessage // by step: what it ends with instead of running
	Done     []string                   // steps that had completed
}
