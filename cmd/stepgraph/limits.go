package main

import (
	"cmp"
	"maps"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/engine/function"
)

// A limitsConfig says how much an engine does at once. Zero is the engine's default.
type limitsConfig struct {
	Sessions int            `json:"sessions"` // sessions that run at once
	Waiting  int            `json:"waiting"`  // further sessions in memory that wait for a slot of a function
	Calls    int            `json:"calls"`    // calls of functions with effects at once
	Late     string         `json:"late"`     // how late due work may be before starts are refused
	CallsOf  map[string]int `json:"calls_of"` // calls of single functions at once; "*" for those that have no limit of their own

	late time.Duration // Late, read
}

// everyFunction stands for the functions that have no limit of their own.
const everyFunction = "*"

// limitFlags are the flags of a limitsConfig.
type limitFlags struct {
	set     limitsConfig
	callsOf []string
}

func (l *limitFlags) register(f *pflag.FlagSet) {
	f.IntVar(&l.set.Sessions, "max-sessions", 0, "sessions that run at once ($STEPGRAPH_MAX_SESSIONS, 1000); further ones stay due")
	f.IntVar(&l.set.Waiting, "max-waiting", 0, "further sessions in memory that wait for a slot of a function ($STEPGRAPH_MAX_WAITING, 4000)")
	f.IntVar(&l.set.Calls, "max-calls", 0, "calls of models, HTTP, shell and the like at once ($STEPGRAPH_MAX_CALLS, 256)")
	f.StringVar(&l.set.Late, "max-late", "", "how late due work may be before starts without a free slot are refused with 429 ($STEPGRAPH_MAX_LATE, 1m)")
	f.StringArrayVar(&l.callsOf, "max-calls-of", nil, "calls of one function at once, as FUNCTION=N; *=N for those without a limit of their own ($STEPGRAPH_MAX_CALLS_OF, with commas; 32)")
}

// resolve returns the limits that apply: flag, else environment, else file.
func (l *limitFlags) resolve(env func(string) string, file limitsConfig) (limitsConfig, error) {
	out := l.set
	for _, n := range []struct {
		flag, variable string
		value          *int
		file           int
	}{
		{"--max-sessions", "STEPGRAPH_MAX_SESSIONS", &out.Sessions, file.Sessions},
		{"--max-waiting", "STEPGRAPH_MAX_WAITING", &out.Waiting, file.Waiting},
		{"--max-calls", "STEPGRAPH_MAX_CALLS", &out.Calls, file.Calls},
	} {
		if text := env(n.variable); *n.value == 0 && text != "" {
			v, err := strconv.Atoi(text)
			if err != nil {
				return out, usagef("$%s is %q, want a number", n.variable, text)
			}
			*n.value = v
		}
		if *n.value == 0 {
			*n.value = n.file
		}
		if *n.value < 0 {
			return out, usagef("%s is %d, want a number above 0", n.flag, *n.value)
		}
	}
	out.Late = cmp.Or(out.Late, env("STEPGRAPH_MAX_LATE"), file.Late)
	late, err := function.ParseDuration(out.Late)
	if err != nil || late < 0 || late == 0 && out.Late != "" {
		return out, usagef("--max-late is %q, want a time such as 30s or 5m", out.Late)
	}
	out.late = late
	texts := l.callsOf
	if len(texts) == 0 {
		texts = splitList(env("STEPGRAPH_MAX_CALLS_OF"))
	}
	out.CallsOf = maps.Clone(file.CallsOf)
	for _, text := range texts {
		name, number, _ := strings.Cut(text, "=")
		n, err := strconv.Atoi(number)
		if name == "" || err != nil {
			return out, usagef("--max-calls-of %q: want FUNCTION=N", text)
		}
		if out.CallsOf == nil {
			out.CallsOf = map[string]int{}
		}
		out.CallsOf[name] = n
	}
	for name, n := range out.CallsOf {
		if n <= 0 {
			return out, usagef("--max-calls-of %s is %d, want a number above 0", name, n)
		}
	}
	return out, nil
}

// check refuses limits of functions that are not there: a misspelt name would limit nothing.
func (c *limitsConfig) check(r *engine.Registry) error {
	for name := range c.CallsOf {
		if name != everyFunction && r.Find(name) == nil {
			return usagef("--max-calls-of %s: there is no such function%s", name, nearNames(r.Near(name)))
		}
	}
	return nil
}

func nearNames(near []string) string {
	if len(near) == 0 {
		return ""
	}
	return "; did you mean " + strings.Join(near, " or ") + "?"
}

// applyTo puts the limits into an engine's options.
func (c *limitsConfig) applyTo(o *engine.Options) {
	o.MaxSessions, o.MaxWaiting, o.Effects = c.Sessions, c.Waiting, c.Calls
	o.MaxLate = c.late
	o.CallsAtOnce = c.CallsOf[everyFunction]
	o.CallsOf = c.CallsOf
}
