package javascript_test

import (
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"
)

// resident is how much memory this process has, in bytes.
func resident(t *testing.T) int {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("only Linux says how much memory a process has in /proc")
	}
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		t.Fatal(err)
	}
	pages, err := strconv.Atoi(strings.Fields(string(text))[1])
	if err != nil {
		t.Fatal(err)
	}
	return pages * os.Getpagesize()
}
