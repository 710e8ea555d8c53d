//go:build !race

package diagram

const slower = 1
