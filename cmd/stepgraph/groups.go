package main

import (
	"time"

	"github.com/stepgraph/stepgraph/engine/retention"
)

// local finds what dev and serve keep on this machine: the store of the folder, the address of
// the engine that has it, tokens and vault.
type local struct{ *app }

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

// services find the engine that a command asks: one that runs, else one of this process.
type services struct {
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
		local    *local
		host     *host
		services *services
		load     *loadCommands // for dev --watch
	}
	runCommands struct {
		*app
		host     *host
		services *services
		sources  *sources
	}
	loadCommands struct {
		*app
		host     *host
		services *services
		sources  *sources
	}
	workflowCommands struct {
		*app
		services *services
		sources  *sources
	}
	sessionCommands struct {
		*app
		services *services
	}
	batchCommands struct {
		*app
		services *services
	}
	settingCommands struct {
		*app
		services *services
	}
	evalCommands struct {
		*app
		services *services
	}
	tokenCommands struct {
		*app
		local *local
	}
	operatingCommands struct {
		*app
		local    *local
		host     *host
		services *services
	}
	completion struct {
		*app
		services *services
	}
)
