package neo4jserver

import (
	"bytes"
	"io"
	"strings"
)

const (
	// tailLines is how many lines of a log an error carries.
	tailLines = 12
	// tailBytes is how much of a log is read to find them.
	tailBytes = 16 << 10
)

// tail gives the last lines that this launch has printed.
func (c *console) tail() string {
	info, err := c.file.Stat()
	if err != nil {
		return err.Error()
	}
	from := max(c.began, info.Size()-tailBytes)
	text, err := io.ReadAll(io.NewSectionReader(c.file, from, info.Size()-from))
	if err != nil {
		return err.Error()
	}
	return lastLines(text)
}

// lastLines gives the last lines of a text, or says that there are none.
func lastLines(text []byte) string {
	text = bytes.TrimSpace(text)
	if len(text) == 0 {
		return "(nothing was printed)"
	}
	lines := strings.Split(string(text), "\n")
	return strings.Join(lines[max(0, len(lines)-tailLines):], "\n")
}
