// Package web makes the HTTP requests of functions whose addresses come from workflows,
// models or answers: api, graphql and integration share it.
//
// Connections go through netguard. Secrets are given by name, go to the server named in the
// step and to no other a redirect leads to, and are blotted out of everything that is kept
// of the answer, errors included.
//
// The invariant: whatever the other side does, there is an answer of bounded size or a fault,
// in bounded time, and neither shows a secret that went into the request.
package web
