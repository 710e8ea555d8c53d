package session

import (
	"testing"
	"time"
)

func TestClockOffset(t *testing.T) {
	at := func(ms int) time.Time { return time.UnixMilli(1_000_000).Add(time.Duration(ms) * time.Millisecond) }
	var o clockOffset
	o.Store(int64(500 * time.Millisecond))
	for i, c := range []struct{ asked, read, answered, want int }{
		{0, 510, 20, 500},       // fits: between 490 and 510
		{1000, 1510, 3000, 500}, // a slow answer proves nothing
		{4000, 4300, 4010, 300}, // our clock was set forward: at most 300
		{5000, 5400, 5010, 390}, // and back: at least 390
	} {
		o.adjust(at(c.asked), at(c.read), at(c.answered))
		if got := int(o.get().Milliseconds()); got != c.want {
			t.Errorf("checkpoint %d: offset %d ms, want %d", i+1, got, c.want)
		}
	}
	o.adjust(at(0), time.Time{}, at(1))
	if o.get() != 390*time.Millisecond {
		t.Errorf("a store that gave no time moved the offset to %s", o.get())
	}
}
