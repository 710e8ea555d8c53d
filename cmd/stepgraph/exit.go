package main

import (
	"errors"
	"fmt"
	"io/fs"
	"net/http"

	"github.com/stepgraph/stepgraph/api"
	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/sqlite"
)

// Exit codes.
const (
	exitOK       = 0
	exitFailed   = 1
	exitUsage    = 2
	exitNotFound = 3
	exitConflict = 4
	exitWaiting  = 5
)

// An exitError ends the command with a code. Without a message everything has been said.
type exitError struct {
	code    int
	message string
}

func (e *exitError) Error() string { return e.message }

// usagef is wrong usage: the person has to type something else.
func usagef(format string, args ...any) error {
	return &exitError{exitUsage, fmt.Sprintf(format, args...)}
}

// notFoundf is something that is not there.
func notFoundf(format string, args ...any) error {
	return &exitError{exitNotFound, fmt.Sprintf(format, args...)}
}

// ended ends the command with a code and no words.
func ended(code int) error {
	if code == exitOK {
		return nil
	}
	return &exitError{code: code}
}

// codeOf is the exit code of an error: what the API answers with 404 is not found, 409 and 412 are
// conflicts.
func codeOf(err error) int {
	var exit *exitError
	if errors.As(err, &exit) {
		return exit.code
	}
	var held *sqlite.HeldError
	status := api.StatusOf(err)
	switch {
	case errors.As(err, &held), errors.Is(err, engine.ErrKeyReused), status == http.StatusConflict, status == http.StatusPreconditionFailed:
		return exitConflict
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, engine.ErrNoEntry), status == http.StatusNotFound:
		return exitNotFound
	}
	return exitFailed
}
