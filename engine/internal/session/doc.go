// Package session moves one session on, from the claim of its lease to the checkpoint that gives
// the lease up. A Runner is made for each claim. It knows its engine only as an Env: a store,
// the functions, limits, and a Host for what all sessions of an engine share.
//
// The parts are layers. Each type embeds only what is below it, so that a call upwards does not
// compile; the comment of Runner lists them.
//
// The invariant: whatever is decided in memory is one draft, and the store takes it whole or
// it has not happened.
package session
