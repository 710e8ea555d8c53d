// Package mcp offers the HTTP API to MCP clients: a tool is one operation of the API, and a call
// of a tool is one request. Its schema is read from the API's OpenAPI document, so that tools take
// what the routes take, and a refused call says what the route says. Tokens, scopes, limits and
// the audit trail are those of the requests; the package knows none of them.
package mcp
