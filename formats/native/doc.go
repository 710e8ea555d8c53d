// Package native reads and writes stepgraph's own workflow files: one JSON document with one
// workflow,
//
//	{"format": "stepgraph", "version": 1, "id": "greet",
//	 "steps": [{"id": "root", "function": "request", "input": {"prompt": "Name?"}}, …],
//	 "paths": [{"source": "root", "target": "reply", "condition": "@{SESSION_ID}.root.response"}, …]}
//
// Where a STEP has JSON text (input, config, retry, output_schema), a file may contain the
// JSON value itself. Unknown keys are refused, so that a misspelled key is an error with a
// position; custom properties go into `extra`. Invariant: Read(Write(w)) equals w.
package native
