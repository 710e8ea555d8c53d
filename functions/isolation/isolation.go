// Package isolation configures how programs that steps run are isolated from the engine: from
// its vault, keys, store and tokens, and from its memory and environment.
//
// On Linux, programs run in their own namespaces, in which empty files and folders are mounted
// over the engine's, and Landlock prevents them from tracing the engine. Where namespaces are
// not allowed, as in most containers, Landlock does both. Programs are isolated from the
// engine, not from each other or from the rest of the machine: an engine that runs untrusted
// programs should run as a separate user, better on a separate machine.
package isolation

import (
	"fmt"

	"github.com/stepgraph/stepgraph/functions/internal/process"
)

// Level says how strong the isolation must be.
type Level string

const (
	Off      Level = "off"      // no isolation: programs have the rights of the engine
	Possible Level = "possible" // as far as the system allows it
	Required Level = "required" // programs do not run without it
)

// ParseLevel parses a level.
func ParseLevel(text string) (Level, error) {
	switch l := Level(text); l {
	case Off, Possible, Required:
		return l, nil
	}
	return "", fmt.Errorf("want %s, %s or %s, not %q", Required, Possible, Off, text)
}

// Options configure the isolation. The zero value isolates as far as the system allows.
type Options struct {
	Level Level // Possible by default
	// Hide lists files and folders, or patterns, that programs cannot read or change.
	Hide []string
}

// Apply sets the isolation of a command.
func (o Options) Apply(c *process.Command) {
	c.Isolate = process.Possible
	switch o.Level {
	case Off:
		c.Isolate = process.Shared
	case Required:
		c.Isolate = process.Required
	}
	c.Files.Hide = o.Hide
}

// Refusal is the error text of a step whose program may not run without isolation.
func Refusal(err error) string {
	return fmt.Sprintf("%v; the operator can run programs without, with --isolate possible; a workflow cannot", err)
}

// Here describes the isolation that this system supports, for people.
func Here() (text string, hides bool) {
	s := process.Supported()
	switch {
	case s.Namespaces && s.Landlock > 0:
		return fmt.Sprintf("namespaces and Landlock (version %d)", s.Landlock), true
	case s.Namespaces:
		return "namespaces; the kernel has no Landlock", true
	case s.Landlock > 0:
		return fmt.Sprintf("Landlock (version %d); namespaces are not allowed (%s), so that scripts in Python cannot be kept from the network", s.Landlock, s.Why), true
	}
	return "none: " + s.Why, false
}
