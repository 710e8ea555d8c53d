//go:build race

package hostile

// race leaves the largest files out: the race detector makes everything many times slower, and
// keeps much memory for itself.
const race = true
