package files

import (
	"testing"
	"time"
)

// SearchFor lets searches take a shorter time.
func SearchFor(t *testing.T, d time.Duration) {
	was := searchTime
	searchTime = d
	t.Cleanup(func() { searchTime = was })
}
