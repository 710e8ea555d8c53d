package state

import (
	"encoding/json"

	"github.com/stepgraph/stepgraph/engine/function"
)

// document is our own key of the state as it is stored: what waves, joins, questions and timers
// need to go on after a restart.
type document struct {
	beforeSeeds
	// Seeds are outputs that steps end with instead of running, at their first activation. They are
	// compact, see appendJSON.
	Seeds map[string]json.RawMessage `json:"seeds,omitempty"`
	afterSeeds
}

// beforeSeeds are the fields of a document before the seeds, in the order of the text.
type beforeSeeds struct {
	Entry string `json:"entry,omitempty"`
	// Live holds what the engine knows of each step that has not ended.
	Live map[string]*LiveStep `json:"live,omitempty"`
	// Order numbers activations, so that steps run in the order they were activated.
	Order int64 `json:"order,omitempty"`
	storedArrivals
	// Asks are the open questions, as they were shown.
	Asks map[string]*Ask `json:"asks,omitempty"`
	// Untaken are targets of paths not taken whose successors may become skipped.
	Untaken []string `json:"untaken,omitempty"`
	// Visits counts the visits since the last pause, against max_steps.
	Visits int `json:"visits,omitempty"`
	storedControl
	// Problems are paths that could not be evaluated, and why, by path id.
	Problems map[string]string `json:"problems,omitempty"`
	// Signals that came before anybody waited for them.
	Signals []Signal `json:"signals,omitempty"`
	// Suspended are steps whose function has handed control to the engine.
	Suspended map[string]*Suspended `json:"driven,omitempty"`
	// Settled are steps in error whose error was dealt with by what they acted for (an
	// agent, a group, a container that continues), with its kind: nothing waits for them.
	Settled map[string]string `json:"settled,omitempty"`
}

// afterSeeds are the fields of a document after the seeds.
type afterSeeds struct {
	// Until names steps whose paths are not followed.
	Until []string `json:"until,omitempty"`
	// Notices are still to be sent to child sessions.
	Notices []Notice `json:"notices,omitempty"`
	// Halted is what on_error: fail_session has cut off, for a retry.
	Halted *Halted `json:"halted,omitempty"`
	// Undone are the executions that rollbacks have taken back, by number.
	Undone []undone `json:"undone,omitempty"`
	// Parent is set in a child session.
	Parent *Parent `json:"parent,omitempty"`
}

// storedArrivals are taken paths whose target does not run yet, by target.
type storedArrivals struct {
	// Joins are steps with join: all that wait, with the paths taken to them.
	Joins map[string][]TakenPath `json:"joins,omitempty"`
	// Arrived are the paths into steps with join: required that were taken, by step, and not
	// forgotten since: see GoBack.
	Arrived map[string][]TakenPath `json:"arrived,omitempty"`
	// Again are steps that were activated while they ran: they run once more.
	Again map[string][]TakenPath `json:"again,omitempty"`
}

// storedControl is the JSON form of control.
type storedControl struct {
	// Paused and Cancelled say why; nil when they do not hold.
	Paused    *Mark        `json:"paused,omitempty"`
	Cancelled *Mark        `json:"cancelled,omitempty"`
	Held      []HeldAnswer `json:"held,omitempty"` // answers that came during a pause
	// Failure is the error of the session as a whole, or of the newest step that failed.
	Failure *function.SessionError `json:"error,omitempty"`
}

// documentKeys are the JSON names of document's fields.
var documentKeys = map[string]bool{"entry": true, "live": true, "order": true, "joins": true, "arrived": true, "again": true, "asks": true, "untaken": true,
	"visits": true, "paused": true, "cancelled": true, "held": true, "error": true, "problems": true, "signals": true, "driven": true, "settled": true,
	"seeds": true, "until": true, "undone": true, "halted": true, "notices": true, "parent": true}

// document puts together what is stored.
func (s *State) document() *document {
	return &document{
		beforeSeeds: beforeSeeds{
			Entry: s.entry, Problems: s.problems, Signals: s.signals,
			Live: s.live, Order: s.liveSteps.order, Visits: s.visits, Asks: s.asked,
			storedArrivals: storedArrivals{Joins: s.joins.waiting, Arrived: s.arrived, Again: s.again}, Untaken: s.untaken,
			storedControl: storedControl{Paused: s.paused, Cancelled: s.cancelled, Held: s.held, Failure: s.failure}, Settled: s.handled,
			Suspended: s.calls,
		},
		Seeds:      s.seeds,
		afterSeeds: afterSeeds{Until: s.until, Halted: s.halted, Notices: s.notices, Parent: s.parent, Undone: s.undone},
	}
}

// takeUp takes up what was stored.
func (s *State) takeUp(d *document) {
	s.plan = plan{entry: d.Entry, until: d.Until, seeds: d.Seeds, problems: d.Problems, signals: d.Signals}
	s.liveSteps = liveSteps{live: d.Live, order: d.Order}
	s.joins = joins{waiting: d.Joins, arrived: d.Arrived, again: d.Again, untaken: d.Untaken, halted: d.Halted}
	s.control = control{paused: d.Paused, cancelled: d.Cancelled, held: d.Held, failure: d.Failure}
	s.family = family{parent: d.Parent, notices: d.Notices}
	s.asks, s.suspended, s.undo = asks{d.Asks}, suspended{d.Suspended}, undo{d.Undone}
	s.visits, s.handled = d.Visits, d.Settled
}

// ForgetProgress removes everything that the engine keeps besides statuses and outputs, for a
// state text that a person has supplied.
func (s *State) ForgetProgress() {
	s.takeUp(&document{})
	s.unknown = nil
}
