package faultlane

import (
	"encoding/json"
	"os"
	"sync"
	"testing"
	"time"
)

// A report is what one round did; its numbers say how much a clean run is worth.
type report struct {
	Round   string         `json:"round"`
	Seed    uint64         `json:"seed"`
	Seconds float64        `json:"seconds"`
	Faults  map[string]int `json:"faults"`
	Engines int            `json:"engine_starts"`
	tally
	Executions int `json:"executions"`
	Effects    int `json:"effect_keys"`
	Calls      int `json:"effect_calls"`
	Repeated   int `json:"effect_calls_repeated"`
	Parked     int `json:"leases_lost"` // by a worker that found its checkpoint refused
	Lost       int `json:"lost_executions"`
	Removed    int `json:"sessions_removed,omitempty"`
	Violations int `json:"violations"`
}

var reporting sync.Mutex

// publish logs a report and appends it to the file that STEPGRAPH_FAULTS_REPORT names.
func (r report) publish(t *testing.T, began time.Time) {
	t.Helper()
	r.Seconds = time.Since(began).Round(100 * time.Millisecond).Seconds()
	line, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("faults: %s", line)
	name := os.Getenv("STEPGRAPH_FAULTS_REPORT")
	if name == "" {
		return
	}
	reporting.Lock()
	defer reporting.Unlock()
	file, err := os.OpenFile(name, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if _, err := file.Write(append(line, '\n')); err != nil {
		t.Error(err)
	}
}
