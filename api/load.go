package api

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/stepgraph/stepgraph/engine"
)

// A loadCollector shows on /metrics what the engine holds and does. Workflows and functions
// are labels only while they have something: both sets are bounded by the engine's limits.
type loadCollector struct{ load func() engine.Load }

var (
	loadSessions = prometheus.NewDesc("stepgraph_sessions", "Sessions that this engine holds, by workflow and by whether they run or wait for a slot of a function.", []string{"workflow", "state"}, nil)
	loadCalls    = prometheus.NewDesc("stepgraph_calls", "Calls of functions with effects, by function and by whether they are under way or wait for a slot.", []string{"function", "state"}, nil)
	loadLimits   = prometheus.NewDesc("stepgraph_limit", "Limits of this engine: sessions that run, sessions that wait for a slot, calls under way.", []string{"of"}, nil)
	loadLate     = prometheus.NewDesc("stepgraph_backlog_seconds", "For how long due work has waited for room; beyond a minute starts are refused.", nil, nil)
)

// Describe is prometheus.Collector.
func (loadCollector) Describe(to chan<- *prometheus.Desc) {
	to <- loadSessions
	to <- loadCalls
	to <- loadLimits
	to <- loadLate
}

// Collect is prometheus.Collector.
func (c loadCollector) Collect(to chan<- prometheus.Metric) {
	gauge := func(d *prometheus.Desc, n int, labels ...string) {
		to <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, float64(n), labels...)
	}
	l := c.load()
	for name, w := range l.Workflows {
		gauge(loadSessions, w.Sessions, name, "running")
		gauge(loadSessions, w.Waiting, name, "waiting")
	}
	for name, f := range l.Functions {
		gauge(loadCalls, f.Calls, name, "running")
		gauge(loadCalls, f.Queued, name, "waiting")
	}
	gauge(loadLimits, l.Limits.Sessions, "sessions")
	gauge(loadLimits, l.Limits.Waiting, "waiting")
	gauge(loadLimits, l.Limits.Calls, "calls")
	to <- prometheus.MustNewConstMetric(loadLate, prometheus.GaugeValue, l.Late)
}
