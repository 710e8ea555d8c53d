// Package vault stores what the operator of an engine provides to workflows: profiles of model
// calls, variables, and secrets.
//
// They are not part of a workflow, so a workflow can be shown, exported and imported without
// them. Values from the configuration file are read-only. Values that the API sets are stored
// in one file of mode 0600; secrets in it are encrypted with a key in a separate file, so that
// a copy of the first file alone does not disclose them. Several engines share both files
// through a common folder: each checks before a read whether the file has changed.
//
// Invariant: a secret's value leaves the package only through Lookup, for a host that the
// secret lists, and through Value, for commands that the operator's configuration names.
package vault
