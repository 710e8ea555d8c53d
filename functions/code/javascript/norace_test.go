//go:build !race

package javascript_test

const slower = 1
