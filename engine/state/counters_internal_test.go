package state

import (
	"reflect"
	"testing"

	"pgregory.net/rapid"
)

// TestCountersRoundTrip: what is encoded by hand is read back as it was.
func TestCountersRoundTrip(t *testing.T) {
	name := rapid.StringOf(rapid.RuneFrom([]rune("aé世\"\\\n/ -_0")))
	rapid.Check(t, func(t *rapid.T) {
		c := &Counters{numbers{
			Seq: rapid.Int64Range(0, 1e12).Draw(t, "seq"), Messages: rapid.Int64Range(0, 1e6).Draw(t, "messages"),
			Seen:     rapid.Int64Range(0, 1e6).Draw(t, "seen"),
			Visits:   rapid.MapOf(name, rapid.IntRange(0, 1e6)).Draw(t, "visits"),
			Attempts: rapid.MapOfN(name, rapid.IntRange(0, 9), 1, 3).Draw(t, "attempts"),
			Asks:     map[string]askCount{"q": {Visit: rapid.IntRange(1, 99).Draw(t, "visit"), Ask: 2}},
			Outputs:  rapid.MapOfN(name, rapid.SliceOfN(rapid.Int64Range(0, 1e12), 1, 5), 1, 3).Draw(t, "outputs"),
		}}
		back, err := ParseCounters("s", c.AppendJSON())
		if err != nil || !reflect.DeepEqual(back, c) {
			t.Fatalf("%s came back as %+v (%v)", c.AppendJSON(), back, err)
		}
	})
}
