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
	loadTurns    = prometheus.NewDesc("stepgraph_turns", "Sessions of workflows with limits of their own, on all engines of the store, by whether they wait for their turn or have it.", []string{"workflow", "state"}, nil)
	relayUp      = prometheus.NewDesc("stepgraph_relay_connected", "1 while this engine is connected to the server by which engines tell each other of events, else 0.", []string{"kind"}, nil)
	relayNotices = prometheus.NewDesc("stepgraph_relay_notices_total", "Notices to and from other engines: sent, received, dropped.", []string{"kind", "result"}, nil)
	loadOverdue  = prometheus.NewDesc("stepgraph_overdue_seconds", "For how long the session with the earliest due time has been due, at any engine of the store; doctor says why.", nil, nil)
	loadLate     = prometheus.NewDesc("stepgraph_backlog_seconds", "For how long due work has waited for room; beyond a minute starts are refused.", nil, nil)
)

// Describe is prometheus.Collector.
func (loadCollector) Describe(to chan<- *prometheus.Desc) {
	to <- loadSessions
	to <- loadCalls
	to <- loadLimits
	to <- loadTurns
	to <- loadLate
	to <- loadOverdue
	to <- relayUp
	to <- relayNotices
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
	waiting, running := map[string]int{}, map[string]int{}
	for _, lane := range l.Turns {
		waiting[lane.Workflow] += lane.Waiting
		running[lane.Workflow] += lane.Running
	}
	for name, n := range waiting {
		gauge(loadTurns, n, name, "waiting")
		gauge(loadTurns, running[name], name, "running")
	}
	gauge(loadLimits, l.Limits.Sessions, "sessions")
	gauge(loadLimits, l.Limits.Waiting, "waiting")
	gauge(loadLimits, l.Limits.Calls, "calls")
	if r := l.Relay; r != nil {
		up := 0
		if r.Connected {
			up = 1
		}
		gauge(relayUp, up, r.Kind)
		for result, n := range map[string]uint64{"sent": r.Sent, "received": r.Received, "dropped": r.Dropped} {
			to <- prometheus.MustNewConstMetric(relayNotices, prometheus.CounterValue, float64(n), r.Kind, result)
		}
	}
	to <- prometheus.MustNewConstMetric(loadLate, prometheus.GaugeValue, l.Late)
	to <- prometheus.MustNewConstMetric(loadOverdue, prometheus.GaugeValue, l.Overdue)
}
