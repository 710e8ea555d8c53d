// Package heap sets how much a program's heap may grow between two garbage collections.
package heap

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// minPercent is Go's own default: the heap may double between two collections.
const minPercent = 100

// maxPercent bounds what a nearly empty heap gets.
const maxPercent = 1600

// Grow lets the heap grow by at least room bytes between two collections, and by its own size once
// that is more. Go's default doubles a small heap, so a program that keeps 20 MB and makes 500 MB a
// second collects 25 times a second, and each collection walks the stacks of all its goroutines.
// The percentage is set anew after each collection. Grow is called once; debug.SetGCPercent must not
// be called afterwards.
func Grow(room uint64) {
	g := &grower{room: room, percent: -1, base: []metrics.Sample{{Name: "/gc/heap/live:bytes"}, {Name: "/gc/scan/stack:bytes"}, {Name: "/gc/scan/globals:bytes"}}}
	g.collected()
}

type grower struct {
	room    uint64
	percent int
	base    []metrics.Sample // what the percentage is of
}

// collected runs once after each collection: it sets the percentage and waits for the next one.
func (g *grower) collected() {
	metrics.Read(g.base)
	var base uint64
	for _, s := range g.base {
		base += s.Value.Uint64()
	}
	percent := percentFor(base, g.room)
	if differ(percent, g.percent) {
		g.percent = percent
		debug.SetGCPercent(percent)
	}
	runtime.AddCleanup(&struct{ _ [16]byte }{}, (*grower).collected, g)
}

// percentFor is the percentage of base that is room, within the bounds.
func percentFor(base, room uint64) int {
	return int(min(max(room*100/max(base, 1), minPercent), maxPercent))
}

// differ reports whether b is more than an eighth away from a. To set a percentage stops the program
// for a moment.
func differ(a, b int) bool { return a-b > b/8 || b-a > b/8 || b < 0 }
