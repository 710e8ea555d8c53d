package graph

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Priorities of a workflow: 1 goes first.
const (
	FirstPriority   = 1
	DefaultPriority = 5
	LastPriority    = 9
)

// Limits are what a workflow says of when its sessions run: on all engines of a store together.
// The zero value limits nothing.
type Limits struct {
	// MaxSessionsAtOnce bounds how many sessions run at once. A session that waits for a
	// person, a time or child sessions does not count. 0 means no bound.
	MaxSessionsAtOnce int `json:"max_sessions_at_once,omitempty"`
	// Rate bounds how many sessions start: "10/s", "100/m", "50/h", "1000/d". Starts above it
	// wait. "" means no bound.
	Rate string `json:"rate,omitempty"`
	// Priority is from 1, which goes first, to 9; 0 means 5.
	Priority int `json:"priority,omitempty"`
	// ConcurrencyKey is a text with references to the inputs of a session. With it, the
	// two bounds hold for the sessions of each value by itself.
	ConcurrencyKey string `json:"concurrency_key,omitempty"`
}

// The names of limits, as keys of the settings and as properties of a WORKFLOW node.
const (
	limitSessions = "max_sessions_at_once"
	limitRate     = "rate"
	limitPriority = "priority"
	limitKey      = "concurrency_key"
)

// LimitNames are the keys of the settings, and the properties of a WORKFLOW node, that are limits.
func LimitNames() []string { return []string{limitSessions, limitRate, limitPriority, limitKey} }

// IsZero reports whether nothing is limited.
func (l Limits) IsZero() bool { return l == Limits{} }

// InTurn reports whether sessions wait for their turn.
func (l Limits) InTurn() bool { return l.MaxSessionsAtOnce > 0 || l.Rate != "" }

// Level is the priority with its default.
func (l Limits) Level() int {
	if l.Priority == 0 {
		return DefaultPriority
	}
	return l.Priority
}

// Every is the time between two starts by the rate, and the time the rate counts in; zero without
// a rate.
func (l Limits) Every() (every, per time.Duration) {
	n, per, err := parseRate(l.Rate)
	if err != nil || n == 0 {
		return 0, 0
	}
	return per / time.Duration(n), per
}

// Check returns what is wrong with the limits.
func (l Limits) Check() error {
	if l.MaxSessionsAtOnce < 0 {
		return fmt.Errorf("%s is %d, want at least 1, or 0 for no limit", limitSessions, l.MaxSessionsAtOnce)
	}
	if _, _, err := parseRate(l.Rate); err != nil {
		return err
	}
	if l.Priority < 0 || l.Priority > LastPriority {
		return fmt.Errorf("%s is %d, want 1 (goes first) to %d", limitPriority, l.Priority, LastPriority)
	}
	if l.ConcurrencyKey != "" && !l.InTurn() {
		return fmt.Errorf("%s without %s or %s limits nothing", limitKey, limitSessions, limitRate)
	}
	return nil
}

const mostStarts = 1_000_000 // a rate of one every millionth of a unit has no meaning

// parseRate reads "10/s". "" is no rate.
func parseRate(text string) (n int, per time.Duration, err error) {
	if text == "" {
		return 0, 0, nil
	}
	number, unit, _ := strings.Cut(text, "/")
	n, err = strconv.Atoi(strings.TrimSpace(number))
	switch strings.TrimSpace(unit) {
	case "s":
		per = time.Second
	case "m":
		per = time.Minute
	case "h":
		per = time.Hour
	case "d":
		per = 24 * time.Hour
	}
	if err != nil || n < 1 || n > mostStarts || per == 0 {
		return 0, 0, fmt.Errorf("%s %q: want a number of starts and a unit: 10/s, 100/m, 50/h or 1000/d", limitRate, text)
	}
	return n, per, nil
}

// put adds the limits that are set to settings as an object.
func (l Limits) put(m map[string]any) {
	if l.MaxSessionsAtOnce != 0 {
		m[limitSessions] = l.MaxSessionsAtOnce
	}
	if l.Rate != "" {
		m[limitRate] = l.Rate
	}
	if l.Priority != 0 {
		m[limitPriority] = l.Priority
	}
	if l.ConcurrencyKey != "" {
		m[limitKey] = l.ConcurrencyKey
	}
}
