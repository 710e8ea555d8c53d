// Package api is stepgraph over HTTP: JSON under /api/v1, events as a stream, problems by
// RFC 9457, an OpenAPI 3.1 document that the code itself gives, a
// page at /docs that shows it, and Studio.
//
// New returns an http.Handler that works at the root of a server or below any prefix
// (http.StripPrefix, chi's Mount). It knows the engine by what it calls, never a store.
// The invariant: a GET changes nothing, and a request that is refused has changed
// nothing.
package api
