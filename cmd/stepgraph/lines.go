package main

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

// lines are read from a person or a pipe; what asks for them is written to a person only.
type lines struct {
	from *bufio.Reader
	to   io.Writer
}

// line reads one line; ok is false at the end of input.
func (l *lines) line(prompt string) (line string, ok bool) {
	fmt.Fprint(l.to, prompt)
	line, err := l.from.ReadString('\n')
	if err != nil && line == "" {
		fmt.Fprintln(l.to)
		return "", false
	}
	return strings.TrimSpace(line), true
}
