package exposition

import (
	"maps"
	"slices"
	"strings"
	"sync"
)

// A series is a family with a T for each set of label values.
type series[T any] struct {
	name, help string
	labels     []string
	mu         sync.Mutex
	of         map[string]*T // by label values, with NUL between them
}

// at calls do with the T of the label values.
func (s *series[T]) at(values []string, do func(*T)) {
	key := strings.ToValidUTF8(strings.Join(values, "\x00"), "\uFFFD")
	s.mu.Lock()
	defer s.mu.Unlock()
	one := s.of[key]
	if one == nil {
		one = new(T)
		if s.of == nil {
			s.of = map[string]*T{}
		}
		s.of[key] = one
	}
	do(one)
}

// each calls do with each T and its labels, names and values in turn.
func (s *series[T]) each(do func(one *T, labels []string)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, key := range slices.Sorted(maps.Keys(s.of)) {
		var labels []string
		for i, value := range strings.SplitN(key, "\x00", len(s.labels)) {
			labels = append(labels, s.labels[i], value)
		}
		do(s.of[key], labels)
	}
}

// Counters count by labels.
type Counters struct{ series[float64] }

// NewCounters returns counters of a name.
func NewCounters(name, help string, labels ...string) *Counters {
	return &Counters{series[float64]{name: name, help: help, labels: labels}}
}

// Inc adds one to the counter of the label values.
func (c *Counters) Inc(values ...string) { c.at(values, func(n *float64) { *n++ }) }

// Write writes all counters.
func (c *Counters) Write(t *Text) {
	t.Family(c.name, Counter, c.help)
	c.each(func(n *float64, labels []string) { t.Sample(*n, labels...) })
}

// Histograms are distributions by labels.
type Histograms struct {
	series[distribution]
	bounds []float64
}

type distribution struct {
	counts []float64 // of the values at most each bound and above the bound before; one more for the rest
	sum    float64
}

// NewHistograms returns histograms of a name; bounds ascend.
func NewHistograms(name, help string, bounds []float64, labels ...string) *Histograms {
	return &Histograms{series[distribution]{name: name, help: help, labels: labels}, bounds}
}

// Observe adds a value to the histogram of the label values.
func (h *Histograms) Observe(value float64, values ...string) {
	h.at(values, func(d *distribution) {
		if d.counts == nil {
			d.counts = make([]float64, len(h.bounds)+1)
		}
		bucket, _ := slices.BinarySearch(h.bounds, value)
		d.counts[bucket]++
		d.sum += value
	})
}

// Write writes all histograms.
func (h *Histograms) Write(t *Text) {
	t.Family(h.name, histogram, h.help)
	h.each(func(d *distribution, labels []string) {
		total := 0.0
		for i, n := range d.counts {
			total += n
			bound := "+Inf"
			if i < len(h.bounds) {
				bound = number(h.bounds[i])
			}
			t.sample("_bucket", total, slices.Concat(labels, []string{"le", bound})...)
		}
		t.sample("_sum", d.sum, labels...)
		t.sample("_count", total, labels...)
	})
}
