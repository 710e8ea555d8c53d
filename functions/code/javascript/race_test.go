//go:build race

package javascript_test

// The race detector makes the engine ten times slower: tests of limits take fewer rounds.
const slower = 8
