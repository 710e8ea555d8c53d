package shell

import (
	"errors"
	"strings"
)

// refuseInCmd is how references are bound in the command interpreter of Windows: not at
// all. It replaces variables before it reads the line, so that a value is a part of it.
func refuseInCmd(text string, names map[string]bool) (string, error) {
	if len(names) > 0 {
		return "", errors.New("a reference stands in a text for cmd, which reads values as part of the line: use pwsh")
	}
	return "@echo off\r\n" + strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\n", "\r\n"), nil
}
