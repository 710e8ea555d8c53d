// Package api implements the function api, which sends HTTP requests.
//
// The address may come from a model or an answer, so connections go through netguard. The
// values of $NAME are provided by the operator. They are sent only to the server that the step
// names, not to redirect targets, and are masked in everything that is stored of the response.
//
// Invariant: for every behaviour of the server, the step gets {status_code, response, headers,
// error} of bounded size within a bounded time.
package api
