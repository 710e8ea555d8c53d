// Package isolation says how far the programs that steps run are kept from the engine that
// runs them: from its vault, keys, store and tokens, and from its memory and environment.
//
// On Linux the engine's files are mounted over in namespaces of the program's own, and
// Landlock keeps it from tracing the engine; where namespaces are not allowed, as in most
// containers, Landlock does both. It isolates programs from the engine, not from one another
// or from the rest of the machine: an engine that runs other people's programs has a user of
// its own and, better, a machine of its own.
package isolation

import (
	"fmt"

	"github.com/stepgraph/stepgraph/functions/internal/process"
)

// Level is how much isolation is wanted.
type Level string

const (
	Off      Level = "off"      // none: programs have the rights of the engine
	Possible Level = "possible" // as far as the system allows it
	Required Level = "required" // programs do not run without it
)

// ParseLevel reads a level.
func ParseLevel(text string) (Level, error) {
	switch l := Level(text); l {
	case Off, Possible, Required:
		return l, nil
	}
	return "", fmt.Errorf("want %s, %s or %s, not %q", Required, Possible, Off, text)
}

// Options are the operator's choices. The zero value isolates as far as the system allows.
type Options struct {
	Level Level // Possible by default
	// Hide are files and folders, or patterns of them, that programs cannot read or change.
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

// Refusal is what a step is told whose program may not run without isolation.
func Refusal(err error) string {
	return fmt.Sprintf("%v; the operator can run programs without, with --isolate possible; a workflow cannot", err)
}

// Here describes what the system can do, for people.
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
