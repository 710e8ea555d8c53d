package main

import (
	"cmp"
	"path/filepath"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/functions/isolation"
)

// protectedFiles are the files of an engine, which the programs of steps neither read nor change:
// store, archive, vault, tokens, configuration, and the files that hold secrets. A star
// matches files next to one with its name as prefix.
func (h *host) protectedFiles(store string) []string {
	own := []string{h.dir}
	for _, address := range h.config.addresses(cmp.Or(store, h.local.devStore())) {
		if kind, file, err := kindOfStore(address); err == nil && kind == storeSQLite {
			own = append(own, file, file+"-*", file+".*")
		}
	}
	for _, file := range []string{h.local.vaultFile(store), h.local.tokensFile(store)} {
		if file != "" {
			own = append(own, file, file+".*")
		}
	}
	for _, file := range []string{h.file, h.archive, h.auditFile, h.oidcSecret, cmp.Or(h.tlsKey, h.env("STEPGRAPH_TLS_KEY"), h.config.TLSKey),
		h.nats.Credentials, h.nats.TokenFile, h.nats.Key} {
		if file != "" {
			own = append(own, file)
		}
	}
	for _, s := range h.config.Secrets {
		if s.File != "" {
			own = append(own, s.File)
		}
	}
	for i, path := range own {
		if full, err := filepath.Abs(path); err == nil {
			own[i] = full
		}
	}
	return own
}

// runsPrograms reports whether steps may run programs at all.
func (h *host) runsPrograms(s settings) bool { return s.allowShell || h.config.Python != "" }

// isolationFinding says what programs of steps are kept from, and what to do where they are
// not.
func (h *host) isolationFinding(s settings) engine.Finding {
	f := engine.Finding{Level: findingOK, Code: "isolation"}
	if !h.runsPrograms(s) {
		f.Message = "steps run no programs: shell and Python are off"
		return f
	}
	here, hides := isolation.Here()
	f.Message = "of shell steps and Python: " + string(s.isolate) + "; this system has " + here
	switch {
	case s.isolate == isolation.Off:
		f.Level, f.Mend = "warning", "programs of steps read the vault, the store and the engine's environment; --isolate possible or required keeps them away"
	case !hides && s.isolate == isolation.Required:
		f.Level, f.Mend = "warning", "shell steps and Python are refused; run the engine where Landlock or user namespaces are allowed, or accept programs without isolation with --isolate possible"
	case !hides:
		f.Level, f.Mend = "warning", "programs of steps read the vault, the store and the engine's environment; give the engine a machine of its own, or one with Landlock"
	}
	return f
}

// warnOfIsolation says at the start of a server what its programs are not kept from.
func (h *host) warnOfIsolation(s settings) {
	if f := h.isolationFinding(s); f.Level != findingOK {
		h.log.Warn("isolation "+f.Message, "mend", f.Mend)
	}
}

// Levels of findings.
const (
	findingOK    = "ok"
	findingError = levelError
)
