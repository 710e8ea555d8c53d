package shell

import (
	"errors"
	"strings"
)

// refuseInCmd refuses every reference in a text for the command interpreter of Windows. It
// expands variables before it parses the line, so a value would become program text.
func refuseInCmd(text string, names map[string]bool) (string, error) {
	if len(names) > 0 {
		return "", errors.New("a reference stands in a text for cmd, which reads values as part of the line: use pwsh")
	}
	return "@echo off\r\n" + strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\n", "\r\n"), nil
}
