// Package api serves stepgraph over HTTP: JSON under /api/v1, server-sent events, problems as
// in RFC 9457, an OpenAPI 3.1 document generated from the code, a page at /docs that renders
// it, and Studio.
//
// New returns an http.Handler that works at the root of a server or below any prefix
// (http.StripPrefix, chi's Mount). The package depends on the methods of the engine that it
// calls, not on a store. Invariant: a GET changes nothing, and a refused request has changed
// nothing.
package api
