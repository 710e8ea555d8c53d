// Package shard makes one engine.Store of several databases. Each workflow has a home: the
// database that a rule names for it, otherwise the default one. A session is created in the home of
// its workflow and stays there with its history and all its child sessions, whatever workflows
// those run. Rules decide where new sessions start; they move no session.
//
// Simpler designs fail. With an installation for each database there is no common list, inbox or
// batch, and a session id does not name its installation. A hash of the session's id spreads
// sessions evenly, but every query of a workflow needs all databases, and adding a database moves
// most sessions.
//
// Invariant: no transaction spans two databases. What the contract requires in one transaction
// (a checkpoint with its children, the answer to a parent) concerns one family, which lives in one
// database. A database that is slow or gone delays or fails only calls that need it; its errors
// begin with its name.
package shard
