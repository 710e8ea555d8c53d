package main

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"sync"

	"github.com/stepgraph/stepgraph/api"
)

// An auditFile takes the audit trail, one JSON object a line. A program that moves it away (logrotate)
// gets a new one with the next entry.
type auditFile struct {
	name string
	log  *slog.Logger

	mu   sync.Mutex
	file *os.File
}

// openAudit opens the file for appending; nil where none is named.
func openAudit(name string, log *slog.Logger) (*auditFile, error) {
	if name == "" {
		return nil, nil
	}
	a := &auditFile{name: name, log: log}
	if err := a.reopen(); err != nil {
		return nil, usagef("--audit: %s", err)
	}
	return a, nil
}

func (a *auditFile) reopen() (err error) {
	if a.file != nil {
		_ = a.file.Close() // it has been moved away, and every entry was written at once
	}
	a.file, err = os.OpenFile(a.name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	return err
}

// record writes an entry. One that cannot be written is in the log instead.
func (a *auditFile) record(e api.AuditEntry) {
	text, err := json.Marshal(e)
	if err == nil {
		err = a.write(append(text, '\n'))
	}
	if err != nil {
		a.log.Error("audit entry cannot be written", "error", err, "entry", fmt.Sprintf("%+v", e))
	}
}

func (a *auditFile) write(line []byte) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	there, err := os.Stat(a.name)
	if err == nil {
		var mine os.FileInfo
		if mine, err = a.file.Stat(); err == nil && os.SameFile(there, mine) {
			_, err = a.file.Write(line)
			return err
		}
	}
	if err := a.reopen(); err != nil {
		return err
	}
	_, err = a.file.Write(line)
	return err
}

func (a *auditFile) close() error {
	if a == nil {
		return nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.file.Close()
}
