// Package native reads and writes stepgraph's own workflow files: one JSON document that
// holds a whole workflow and nothing else,
//
//	{"format": "stepgraph", "version": 1, "id": "greet",
//	 "steps": [{"id": "root", "function": "request", "input": {"prompt": "Name?"}}, …],
//	 "paths": [{"source": "root", "target": "reply", "condition": "@{SESSION_ID}.root.response"}, …]}
//
// Where a STEP holds JSON text (input, config, retry, output_schema) a file may have the
// JSON itself. Keys that are not known are refused, so that a slip of the pen is an error
// with a place and not a property nobody reads; properties of one's own go into `extra`.
// The invariant: Read(Write(w)) is w.
package native
