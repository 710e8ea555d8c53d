package heap

import (
	"runtime"
	"runtime/metrics"
	"testing"
	"time"
)

func TestPercentFor(t *testing.T) {
	const mb = 1 << 20
	for _, c := range []struct {
		base uint64
		want int
	}{{0, maxPercent}, {mb, maxPercent}, {16 * mb, 400}, {32 * mb, 200}, {64 * mb, 100}, {1000 * mb, 100}} {
		if got := percentFor(c.base, 64*mb); got != c.want {
			t.Errorf("%d MB: %d %%, want %d", c.base/mb, got, c.want)
		}
	}
}

// TestGrow: the percentage follows the heap, up and down.
func TestGrow(t *testing.T) {
	const mb = 1 << 20
	Grow(64 * mb)
	keep := make([]byte, 128*mb)
	collectUntil(t, "a large heap has Go's own percentage", func(percent uint64) bool { return percent == minPercent })
	runtime.KeepAlive(keep)
	keep = nil
	collectUntil(t, "a small heap has more", func(percent uint64) bool { return percent >= 4*minPercent })
}

// collectUntil collects until the percentage is as wanted. It is set a moment after a collection.
func collectUntil(t *testing.T, what string, wanted func(percent uint64) bool) {
	t.Helper()
	percent := []metrics.Sample{{Name: "/gc/gogc:percent"}}
	for end := time.Now().Add(time.Minute); ; {
		runtime.GC()
		metrics.Read(percent)
		if wanted(percent[0].Value.Uint64()) {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("%s: it has %d", what, percent[0].Value.Uint64())
		}
	}
}
