// Package branch builds the output that paths out of a branching step test.
package branch

import (
	"fmt"
	"strconv"
)

// Map reports for each branch whether it was chosen, with the branch's index and its name as
// keys. Branches may share a name; an unnamed branch has "". A name that is also the index of
// another branch is ambiguous: in all that key means the index, and byName, otherwise nil, has
// the names alone.
func Map(names []string, chosen int) (all, byName map[string]bool) {
	all = make(map[string]bool, 2*len(names))
	named := map[string]bool{}
	for i, name := range names {
		if name != "" {
			named[name] = named[name] || i == chosen
		}
	}
	for name, is := range named {
		all[name] = is
	}
	for i := range names {
		all[strconv.Itoa(i)] = i == chosen
	}
	if Doubtful(names) == "" {
		named = nil
	}
	return all, named
}

// Doubtful returns the first name that is also the index of another branch, or "".
func Doubtful(names []string) string {
	for i, name := range names {
		if place, err := strconv.Atoi(name); err == nil && place != i && place >= 0 && place < len(names) && strconv.Itoa(place) == name {
			return name
		}
	}
	return ""
}

// Warning returns the text of the warning about an ambiguous name.
func Warning(name string) string {
	return fmt.Sprintf("%q is the name of a branch and the place of another: branches.%s is the place, names.%s the name", name, name, name)
}
