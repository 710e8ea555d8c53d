package main

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/sqlite"
	"github.com/stepgraph/stepgraph/vault"
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

// codes are tried in order; what is in none of them has failed.
var codes = []struct {
	err  error
	code int
}{
	{engine.ErrSessionNotFound, exitNotFound},
	{engine.ErrWorkflowNotFound, exitNotFound},
	{engine.ErrStepNotFound, exitNotFound},
	{engine.ErrPathNotFound, exitNotFound},
	{engine.ErrBatchNotFound, exitNotFound},
	{vault.ErrProfileNotFound, exitNotFound},
	{vault.ErrVariableNotFound, exitNotFound},
	{vault.ErrSecretNotFound, exitNotFound},
	{vault.ErrFixed, exitConflict},
	{engine.ErrNoEntry, exitNotFound},
	{fs.ErrNotExist, exitNotFound},
	{engine.ErrNoOpenQuestion, exitConflict},
	{engine.ErrAlreadyAnswered, exitConflict},
	{engine.ErrKeyReused, exitConflict},
	{engine.ErrSessionExists, exitConflict},
	{engine.ErrSessionBusy, exitConflict},
	{engine.ErrSessionEnded, exitConflict},
	{engine.ErrSignalsFull, exitConflict},
	{engine.ErrVersionMismatch, exitConflict},
}

func codeOf(err error) int {
	var exit *exitError
	if errors.As(err, &exit) {
		return exit.code
	}
	var held *sqlite.HeldError
	if errors.As(err, &held) {
		return exitConflict
	}
	for _, c := range codes {
		if errors.Is(err, c.err) {
			return c.code
		}
	}
	return exitFailed
}
