package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/stepgraph/stepgraph/access"
	"github.com/stepgraph/stepgraph/functions/mcp"
	"github.com/stepgraph/stepgraph/vault"
)

// A config is the configuration file. Flags and environment come before it.
type config struct {
	storesConfig
	Model       string                     `json:"model"`
	ModelScript string                     `json:"model_script"`
	Models      modelsConfig               `json:"models"` // providers workflows may name in addition to the default
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

// checkEnv refuses an entry of env that does not say where its variable may go.
func (c *config) checkEnv() error {
	for _, open := range c.Env {
		name, host, bound := strings.Cut(open, "@")
		if name == "" || !bound {
			return fmt.Errorf("env: %q: want NAME@HOST, such as %s@api.example.com, or %s@* for every address", open, open, open)
		}
		if err := vault.CheckHost(host); err != nil {
			return fmt.Errorf("env: %q: %w", open, err)
		}
	}
	return nil
}

// A secretConfig says where the value of a secret is: the configuration file never holds it.
type secretConfig struct {
	Env         string   `json:"env,omitempty"`   // a variable of the environment
	File        string   `json:"file,omitempty"`  // a file, such as those that Docker and Kubernetes mount
	Hosts       []string `json:"hosts,omitempty"` // that requests may take it to; required
	Description string   `json:"description,omitempty"`
}

// value returns how the value is read.
func (s *secretConfig) value(env func(string) string) (func() (string, error), error) {
	switch {
	case s.Env != "" && s.File != "":
		return nil, fmt.Errorf("give env or file, one of the two")
	case s.Env != "":
		return func() (string, error) { return env(s.Env), nil }, nil
	case s.File != "":
		return func() (string, error) {
			text, err := os.ReadFile(s.File)
			return string(text), err
		}, nil
	}
	return nil, fmt.Errorf("env, the variable of the environment that holds it, or file is missing")
}
