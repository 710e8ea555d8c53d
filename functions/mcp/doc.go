// Package mcp calls tools of MCP servers.
//
// Which servers there are is the operator's choice: a server that is a command starts a
// process, so a workflow only ever names one of the configuration. Loading a workflow starts
// nothing; a server starts with the first call of one of its tools, serves all later ones and
// is closed when nobody has called it for a while.
//
// The invariant: a server that dies, hangs or answers nonsense fails the calls under way, as
// failures that may pass, and no others: the next call starts it anew.
package mcp
