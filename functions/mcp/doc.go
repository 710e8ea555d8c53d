// Package mcp implements the function mcp.call, which calls tools of MCP servers.
//
// The operator configures the servers: a server may be a command that starts a process, so a
// workflow can only name a configured one. Loading a workflow starts no server. A server
// starts with the first call of one of its tools, serves later calls, and is closed after it
// has been idle.
//
// Invariant: a server that dies, hangs or returns invalid data fails only the calls in
// progress, with transient errors. The next call starts it again.
package mcp
