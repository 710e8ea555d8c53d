// Package branch puts together what paths out of a branching step test.
package branch

import (
	"fmt"
	"strconv"
)

// Map tells of each branch, by its place and by its name, whether it is the chosen one;
// places may share a name, and one without has "". A name that is also the place of another
// branch would say both: as a key of all it is the place, and byName, nil otherwise, has the
// names alone.
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

// Doubtful is the first name that is also the place of another branch, or "".
func Doubtful(names []string) string {
	for i, name := range names {
		if place, err := strconv.Atoi(name); err == nil && place != i && place >= 0 && place < len(names) && strconv.Itoa(place) == name {
			return name
		}
	}
	return ""
}

// Warning says what is to be heeded with a doubtful name.
func Warning(name string) string {
	return fmt.Sprintf("%q is the name of a branch and the place of another: branches.%s is the place, names.%s the name", name, name, name)
}
