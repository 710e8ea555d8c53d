package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	driver "modernc.org/sqlite"
	lib "modernc.org/sqlite/lib"

	"github.com/stepgraph/stepgraph/engine/store"
)

// code is SQLite's primary result code of an error, 0 for an error of another kind.
func code(err error) int {
	var e *driver.Error
	if !errors.As(err, &e) {
		return 0
	}
	return e.Code() & 0xff
}

func isBusy(err error) bool {
	c := code(err)
	return c == lib.SQLITE_BUSY || c == lib.SQLITE_LOCKED
}

// isTaken reports whether a unique index rejected a row.
func isTaken(err error) bool { return code(err) == lib.SQLITE_CONSTRAINT }

// noRow reports whether a query found nothing.
func noRow(err error) bool { return errors.Is(err, sql.ErrNoRows) }

// fault wraps an error with the operation, and with engine.ErrUnavailable when a repeated call may succeed.
func fault(what string, err error) error {
	if err == nil {
		return nil
	}
	if errors.Is(err, store.ErrUnknownOutcome) || errors.Is(err, store.ErrUnavailable) {
		return err
	}
	switch code(err) {
	case lib.SQLITE_FULL:
		return fmt.Errorf("%s: %w: %w: %w", what, store.ErrDiskFull, store.ErrUnavailable, explain(err))
	case lib.SQLITE_CORRUPT, lib.SQLITE_NOTADB:
		return fmt.Errorf("%s: %w: %w", what, store.ErrStoreDamaged, explain(err))
	}
	if transient(err) {
		return fmt.Errorf("%s: %w: %w", what, store.ErrUnavailable, explain(err))
	}
	return fmt.Errorf("%s: %w", what, explain(err))
}

func transient(err error) bool {
	if errors.Is(err, sql.ErrConnDone) {
		return true
	}
	switch code(err) {
	case lib.SQLITE_BUSY, lib.SQLITE_LOCKED, lib.SQLITE_PROTOCOL, lib.SQLITE_FULL, lib.SQLITE_IOERR, lib.SQLITE_CANTOPEN, lib.SQLITE_NOMEM:
		return true
	}
	return false
}

// explain adds what an operator can do about it.
func explain(err error) error {
	if err == nil || errors.Is(err, context.Canceled) {
		return err
	}
	if text := err.Error(); strings.Contains(text, "no such table") || strings.Contains(text, "no such column") {
		return fmt.Errorf("%w: the file does not have the tables of this version: run stepgraph migrate (in a program: Store.Migrate)", err)
	}
	if hint := hints[code(err)]; hint != "" {
		return fmt.Errorf("%w: %s", err, hint)
	}
	return err
}

var hints = map[int]string{
	lib.SQLITE_BUSY:     "another process has been writing to the file for longer than the busy timeout",
	lib.SQLITE_FULL:     "the disk is full: make room, nothing that was acknowledged is lost",
	lib.SQLITE_NOTADB:   "the file is not a SQLite database: name another one",
	lib.SQLITE_CORRUPT:  "the file is damaged: stop all engines and restore a copy",
	lib.SQLITE_READONLY: "the file or its directory cannot be written: check owner and rights",
	lib.SQLITE_CANTOPEN: "the file or the -wal and -shm files beside it cannot be opened: check owner and rights of the directory",
}
