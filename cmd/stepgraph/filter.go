package main

import (
	"time"

	"github.com/spf13/pflag"

	"github.com/stepgraph/stepgraph/engine"
)

// A filterFlags says which sessions, as the API does.
type filterFlags struct {
	engine.SessionQuery
	created, before, waiting string
	on                       *pflag.FlagSet
}

// filterNames are the flags of register, and those a command may leave out.
var filterNames = []string{"status", "workflow", "awaiting", "step", "q", "label", "root", "created-after", "created-before", "waiting-before"}

// register adds the flags of a filter. Commands that take --step for something else go
// without it.
func (f *filterFlags) register(flags *pflag.FlagSet, step bool) {
	f.on = flags
	flags.StringSliceVar(&f.Status, "status", nil, "only these statuses, with commas")
	flags.StringVar(&f.Workflow, "workflow", "", "only sessions of this workflow")
	flags.BoolVar(&f.Awaiting, "awaiting", false, "only sessions with an open question")
	if step {
		flags.StringVar(&f.Step, "step", "", "only sessions with a question open at this step")
	}
	flags.StringVar(&f.Text, "q", "", "only sessions whose state contains this text")
	flags.StringToStringVar(&f.Labels, "label", nil, "only sessions with these labels, NAME=VALUE")
	flags.StringVar(&f.Root, "root", "", "only this session and all that descend from it")
	flags.StringVar(&f.created, "created-after", "", "only sessions started after this time: RFC 3339, a date, or how long ago: 36h")
	flags.StringVar(&f.before, "created-before", "", "only sessions started before this time")
	flags.StringVar(&f.waiting, "waiting-before", "", "only sessions with a question asked before this time")
}

// query is the filter; its times are read now.
func (f *filterFlags) query() (engine.SessionQuery, error) {
	q := f.SessionQuery
	for _, t := range []struct {
		flag, text string
		to         *time.Time
	}{{"created-after", f.created, &q.CreatedAfter}, {"created-before", f.before, &q.CreatedBefore}, {"waiting-before", f.waiting, &q.WaitingBefore}} {
		if t.text == "" {
			continue
		}
		var err error
		if *t.to, err = moment(t.text, time.Now()); err != nil {
			return q, usagef("--%s %s: want a time like 2026-01-02T15:04:05Z, a date like 2026-01-02, or how long ago, like 36h", t.flag, t.text)
		}
	}
	return q, nil
}

// given reports whether any flag of the filter was.
func (f *filterFlags) given() bool {
	for _, name := range filterNames {
		if flag := f.on.Lookup(name); flag != nil && flag.Changed {
			return true
		}
	}
	return false
}

// moment reads a time, a date (its beginning here), or how long before now.
func moment(text string, now time.Time) (time.Time, error) {
	if d, err := time.ParseDuration(text); err == nil {
		return now.Add(-d), nil
	}
	if t, err := time.ParseInLocation(time.DateOnly, text, time.Local); err == nil {
		return t, nil
	}
	return time.Parse(time.RFC3339, text)
}
