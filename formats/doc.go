// Package formats reads workflow files of every kind the engine can be given, and tells
// one kind from another by looking. The engine knows none of them: each compiles to the
// same steps and paths.
package formats
