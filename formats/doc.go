// Package formats reads workflow files of every supported format and detects the format from
// the content. The engine does not depend on formats: each format compiles to steps and paths.
package formats
