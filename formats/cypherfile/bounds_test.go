package cypherfile_test

import (
	"runtime"
	"strings"
	"testing"

	"github.com/stepgraph/stepgraph/formats/cypherfile"
)

// TestDeepFilesCostNothing: four megabytes of brackets took half a gigabyte before they were
// refused.
func TestDeepFilesCostNothing(t *testing.T) {
	for want, text := range map[string]string{
		"nested more than 100 levels deep": "CREATE (:STEP {id: " + strings.Repeat("[", 4<<20),
		"the file has more than":           "CREATE " + strings.Repeat(",", 4<<20),
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := cypherfile.Parse("deep.cypher", []byte(text))
		runtime.ReadMemStats(&after)
		// The text as characters takes 16 MB.
		if used := (after.TotalAlloc - before.TotalAlloc) >> 20; strings.HasPrefix(want, "nested") && used > 40 || used > 500 {
			t.Errorf("%s: %d MB were taken", want, used)
		}
		if err == nil || strings.HasPrefix(want, "nested") && !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}
