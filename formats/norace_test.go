//go:build !race

package formats_test

const slower = 1
