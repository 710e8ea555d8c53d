// Package compare judges one value against another, as the rules of a switch do: as text,
// as numbers or as truth values. It is pure and knows nothing of steps, so that importers can
// ask it what a rule of theirs will come to.
package compare
