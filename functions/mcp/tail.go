package mcp

import (
	"strings"
	"sync"
)

const tailLength = 2 << 10 // bytes

// A tail keeps the last output of a server on its standard error, and the values to mask in it
// and in errors.
type tail struct {
	mu     sync.Mutex
	text   []byte
	hidden []string
}

// Write appends p and keeps the end.
func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, p...)
	if extra := len(t.text) - tailLength; extra > 0 {
		t.text = append(t.text[:0], t.text[extra:]...)
	}
	return len(p), nil
}

// hide adds a value to mask; short values are not masked.
func (t *tail) hide(value string) {
	if len(value) >= 4 {
		t.hidden = append(t.hidden, value, "***")
	}
}

// mask returns text with the hidden values replaced by ***.
func (t *tail) mask(text string) string {
	if len(t.hidden) == 0 {
		return text
	}
	return strings.NewReplacer(t.hidden...).Replace(text)
}

// last returns the last line that was written, for an error message.
func (t *tail) last() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	lines := strings.Split(strings.TrimSpace(strings.ToValidUTF8(string(t.text), "\uFFFD")), "\n")
	return t.mask(lines[len(lines)-1])
}
