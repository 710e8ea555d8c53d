package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"github.com/stepgraph/stepgraph/access"
	"github.com/stepgraph/stepgraph/functions/isolation"
	"github.com/stepgraph/stepgraph/functions/mcp"
	"github.com/stepgraph/stepgraph/vault"
)

// A config is the configuration file. Flags and environment come before it.
type config struct {
	storesConfig
	Model       string                     `json:"model"`
	ModelScript string                     `json:"model_script"`
	Models      modelsConfig               `json:"models"` // providers workflows may ask for beside the default
	AllowNet    []string                   `json:"allow_net"`
	AllowShell  bool                       `json:"allow_shell"`
	Functions   map[string]string          `json:"functions"` // remote functions: name or prefix.* to address
	Env         []string                   `json:"env"`       // environment variables that steps may use, as NAME@HOST
	Scripts     string                     `json:"scripts"`   // folder of the scripts that steps may name
	Python      string                     `json:"python"`    // the Python that scripts of that language run in; off without
	Profiles    map[string]vault.Profile   `json:"profiles"`  // named settings of model calls
	Variables   map[string]json.RawMessage `json:"variables"` // named values that workflows read
	Secrets     map[string]secretConfig    `json:"secrets"`   // where secrets are
	Vault       string                     `json:"vault"`     // file of the profiles, variables and secrets that the API sets
	MCP         map[string]mcp.Server      `json:"mcp"`       // MCP servers whose tools steps may call
	Folder      string                     `json:"folder"`    // where shell commands run, and all that file functions see
	ShellEnv    []string                   `json:"shell_env"` // environment variables that shell commands get
	Schemas     map[string]json.RawMessage `json:"schemas"`   // named schemas of their answers
	Server      string                     `json:"server"`
	Token       string                     `json:"token"`
	Isolate     string                     `json:"isolate"`    // how far shell commands and Python are kept from the engine
	Audit       string                     `json:"audit"`      // file of the audit trail
	AuditKeep   string                     `json:"audit_keep"` // how long the store keeps it
	TLSCert     string                     `json:"tls_cert"`
	TLSKey      string                     `json:"tls_key"`
	MaxStore    string                     `json:"max_store"` // size of an embedded store
	Quota       access.Quota               `json:"quota"`     // of tokens that have none of their own
	Lease       string                     `json:"lease"`
	Poll        string                     `json:"poll"`
	Drain       string                     `json:"drain"`
	NATS        natsConfig                 `json:"nats"`    // how engines tell each other of events
	Limits      limitsConfig               `json:"limits"`  // how much an engine does at once
	Keep        []string                   `json:"keep"`    // how long sessions stay after they have ended
	Archive     string                     `json:"archive"` // folder that takes them before they go
}

// readConfig reads a configuration file; "" is none. An unknown key is an error: it is
// most likely misspelt.
func readConfig(file string) (config, error) {
	var c config
	if file == "" {
		return c, nil
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return c, fmt.Errorf("configuration: %w", err)
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&c); err != nil {
		return c, usagef("configuration %s: %s", file, err)
	}
	if err := errors.Join(c.checkEnv(), c.checkDatabases()); err != nil {
		return c, usagef("configuration %s: %s", file, err)
	}
	return c, nil
}

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
	on.StringArrayVar(&f.set.allowNet, "allow-net", nil, "network that steps may reach beside public addresses: CIDR, ADDRESS or ADDRESS:PORT ($STEPGRAPH_ALLOW_NET, with commas)")
	on.StringVar(&f.level, "isolate", "", "how far shell steps and Python are kept from the engine's files and process: required (the default of serve), possible or off ($STEPGRAPH_ISOLATE)")
	on.BoolVar(&f.set.allowShell, "allow-shell", false, "let steps run shell commands ($STEPGRAPH_ALLOW_SHELL)")
}

// settings decides: flag, environment, file.
func (a *app) settings(f *settingFlags) (s settings, err error) {
	s = f.set
	s.store = first(s.store, a.env("STEPGRAPH_STORE"), a.config.Store)
	if s.store == "" && len(a.config.Databases) > 0 {
		s.store = storeSeveral
	}
	s.model = first(s.model, a.env("STEPGRAPH_MODEL"), a.config.Model)
	s.script = first(s.script, a.env("STEPGRAPH_MODEL_SCRIPT"), a.config.ModelScript)
	if len(s.allowNet) == 0 {
		s.allowNet = words(a.env("STEPGRAPH_ALLOW_NET"))
	}
	if len(s.allowNet) == 0 {
		s.allowNet = a.config.AllowNet
	}
	if s.isolate, err = isolation.ParseLevel(first(f.level, a.env("STEPGRAPH_ISOLATE"), a.config.Isolate, string(f.isolate), string(isolation.Possible))); err != nil {
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

func first(values ...string) string {
	for _, v := range values {
		if v != "" {
			return v
		}
	}
	return ""
}

// words splits a list with commas or blanks.
func words(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' })
}
