// Package api makes the HTTP requests of steps.
//
// The address may come from a model or an answer, so connections go through netguard. The
// values of $NAME come from what the operator has opened to workflows, they go to the server
// named in the step and to no other a redirect leads to, and they are blotted out of
// everything that is kept of the answer.
//
// The invariant: whatever the other side does, the step gets {status_code, response, headers,
// error} of bounded size, in bounded time.
package api
