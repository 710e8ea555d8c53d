// Package compare compares two values as the rules of a switch do: as text, numbers or truth
// values. It is pure and does not depend on steps, so importers can compute the result of a
// rule in advance.
package compare
