// Package session runs one session, from the claim of its lease to the checkpoint that gives
// the lease up. A Runner is made for each claim. It uses its engine only through an Env: a store,
// the functions, limits, and a Host for what all sessions of an engine share.
//
// The types form layers. Each embeds only types of lower layers, so that a call upwards does not
// compile; the comment of Runner lists them.
//
// Invariant: all decisions since the last checkpoint are one draft. The store writes it as a whole,
// or it is dropped as a whole.
package session
