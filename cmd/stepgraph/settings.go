package main

import (
	"cmp"
	"strconv"

	"github.com/spf13/pflag"

	"github.com/stepgraph/stepgraph/functions/isolation"
)

// settings say how to run steps and where, after flags, environment, file and defaults.
type settings struct {
	store      string // "" where it is not set
	model      string
	script     string
	allowNet   []string
	allowShell bool
	isolate    isolation.Level
}

// settingFlags are the flags of every command that runs steps.
type settingFlags struct {
	set settings
	on  *pflag.FlagSet
	// isolate is the level where none is set: a production server requires isolation.
	isolate isolation.Level
	level   string
}

func (f *settingFlags) register(on *pflag.FlagSet) {
	f.registerStore(on)
	f.registerModel(on)
}

func (f *settingFlags) registerStore(on *pflag.FlagSet) {
	f.on = on
	on.StringVar(&f.set.store, "store", "", "memory, sqlite:FILE, neo4j://HOST:PORT, bolt://HOST:PORT or the name of a database of the configuration ($STEPGRAPH_STORE)")
}

func (f *settingFlags) registerModel(on *pflag.FlagSet) {
	f.on = on
	on.StringVar(&f.set.model, "model", "", "script, openai, anthropic, PROVIDER/MODEL or MODEL ($STEPGRAPH_MODEL, script)")
	on.StringVar(&f.set.script, "model-script", "", "replies that the model script plays ($STEPGRAPH_MODEL_SCRIPT)")
	f.registerAllowed(on)
}

func (f *settingFlags) registerAllowed(on *pflag.FlagSet) {
	f.on = on
	on.StringArrayVar(&f.set.allowNet, "allow-net", nil, "network that steps may reach in addition to public addresses: CIDR, ADDRESS or ADDRESS:PORT ($STEPGRAPH_ALLOW_NET, with commas)")
	on.StringVar(&f.level, "isolate", "", "how shell steps and Python are isolated from the engine's files and process: required (the default of serve), possible or off ($STEPGRAPH_ISOLATE)")
	on.BoolVar(&f.set.allowShell, "allow-shell", false, "let steps run shell commands ($STEPGRAPH_ALLOW_SHELL)")
}

// settings decides: flag, environment, file.
func (a *app) settings(f *settingFlags) (s settings, err error) {
	s = f.set
	s.store = cmp.Or(s.store, a.env("STEPGRAPH_STORE"), a.config.Store)
	if s.store == "" && len(a.config.Databases) > 0 {
		s.store = storeDatabases
	}
	s.model = cmp.Or(s.model, a.env("STEPGRAPH_MODEL"), a.config.Model)
	s.script = cmp.Or(s.script, a.env("STEPGRAPH_MODEL_SCRIPT"), a.config.ModelScript)
	if len(s.allowNet) == 0 {
		s.allowNet = splitList(a.env("STEPGRAPH_ALLOW_NET"))
	}
	if len(s.allowNet) == 0 {
		s.allowNet = a.config.AllowNet
	}
	if s.isolate, err = isolation.ParseLevel(cmp.Or(f.level, a.env("STEPGRAPH_ISOLATE"), a.config.Isolate, string(f.isolate), string(isolation.Possible))); err != nil {
		return s, usagef("--isolate: %s", err)
	}
	if f.on.Changed("allow-shell") {
		return s, nil
	}
	s.allowShell = a.config.AllowShell
	if text := a.env("STEPGRAPH_ALLOW_SHELL"); text != "" {
		allow, err := strconv.ParseBool(text)
		if err != nil {
			return s, usagef("$STEPGRAPH_ALLOW_SHELL is %q, want true or false", text)
		}
		s.allowShell = allow
	}
	return s, nil
}
