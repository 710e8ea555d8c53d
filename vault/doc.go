// Package vault keeps what the operator of an engine gives to workflows beside the graph:
// profiles of model calls, variables, and secrets.
//
// They are no part of a workflow, so a workflow can be shown, exported and imported without
// them. What the configuration file names is fixed; what the API sets stands in one file of
// mode 0600, with secrets encrypted under a key in a file of its own, so that a copy of the
// one does not give them away. Several engines share both through a common folder: each looks
// whether the file has changed before it answers.
//
// The invariant: a secret's value leaves the package through Lookup, for a host that the
// secret names, and through Value, for commands that the operator's configuration names.
package vault
