// Package web sends the HTTP requests of functions whose addresses come from workflows, models
// or answers: api, graphql and integration.
//
// Connections go through netguard. Secrets are given by name, are sent only to the server that
// the step names, not to redirect targets, and are masked in everything that is stored of the
// response, errors included.
//
// Invariant: for every behaviour of the server, the result is a response of bounded size or an
// error, within a bounded time, and neither contains a secret of the request.
package web
