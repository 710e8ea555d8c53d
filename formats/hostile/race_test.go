//go:build race

package hostile

// The race detector makes everything many times slower: graphs are smaller, and files may take
// longer.
const slower = 10
