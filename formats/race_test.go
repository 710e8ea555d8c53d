//go:build race

package formats_test

// The race detector makes these tests many times slower: they take fewer rounds.
const slower = 10
