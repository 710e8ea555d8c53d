package main

import (
	"time"

	"github.com/stepgraph/stepgraph/engine/retention"
)

// A host opens an engine in this process, with its store, functions, models and vault.
type host struct {
	*app
	local *local

	lease, poll time.Duration // of engines; 0 is their default
	limits      limitsConfig
	nats        natsConfig
	keep        retention.Keep // how long sessions stay after they have ended
	archive     string         // folder that takes them before they go
	drain       time.Duration
	oidcSecret  string // file with the client secret of sign-in, if any
	auditFile   string // where the audit trail goes, if anywhere
	tlsKey      string // file of the server's private key, if a flag names one
}

// engineFinder find the engine that a command asks: one that runs, else one of this process.
type engineFinder struct {
	*app
	local *local
	host  *host
}

// sources read workflow files of every format.
type sources struct{ *app }

// The groups of commands. Each holds the parts that its commands use.
type (
	serveCommands struct {
		*app
		local   *local
		host    *host
		engines *engineFinder
		load    *loadCommands // for dev --watch
	}
	runCommands struct {
		*app
		host    *host
		engines *engineFinder
		sources *sources
	}
	loadCommands struct {
		*app
		host    *host
		engines *engineFinder
		sources *sources
	}
	workflowCommands struct {
		*app
		engines *engineFinder
		sources *sources
	}
	sessionCommands struct {
		*app
		engines *engineFinder
	}
	batchCommands struct {
		*app
		engines *engineFinder
	}
	settingCommands struct {
		*app
		engines *engineFinder
	}
	evalCommands struct {
		*app
		engines *engineFinder
	}
	tokenCommands struct {
		*app
		local *local
	}
	operatingCommands struct {
		*app
		local   *local
		host    *host
		engines *engineFinder
	}
	completion struct {
		*app
		engines *engineFinder
	}
)
