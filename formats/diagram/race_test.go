//go:build race

package diagram

// The race detector makes these tests many times slower: they take fewer rounds.
const slower = 10
