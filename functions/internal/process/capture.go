package process

import (
	"strings"
	"sync"
	"unicode/utf8"
)

// capture keeps the beginning of a stream.
type capture struct {
	mu    *sync.Mutex
	name  string
	kept  strings.Builder
	count int
	limit int
	cut   bool
	chunk func(stream, text string)
	rest  []byte // the first bytes of an incomplete character
}

func (c *capture) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	data := append(c.rest, p...)
	whole := len(data)
	for i := max(0, whole-utf8.UTFMax); i < whole; i++ {
		if utf8.RuneStart(data[i]) && !utf8.FullRune(data[i:]) {
			whole = i
			break
		}
	}
	c.rest = append([]byte(nil), data[whole:]...)
	c.keep(strings.ToValidUTF8(string(data[:whole]), "\uFFFD"))
	return len(p), nil
}

func (c *capture) keep(text string) {
	if text == "" || c.cut {
		return
	}
	if n := utf8.RuneCountInString(text); c.limit > 0 && c.count+n > c.limit {
		runes := []rune(text)
		text, c.cut = string(runes[:c.limit-c.count]), true
	}
	c.count += utf8.RuneCountInString(text)
	c.kept.WriteString(text)
	if c.chunk != nil && text != "" {
		c.chunk(c.name, text)
	}
}

// end returns the text that was kept. Later output is dropped.
func (c *capture) end() (text string, cut bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.rest) > 0 {
		c.rest = nil
		c.keep("\uFFFD")
	}
	text, cut = c.kept.String(), c.cut
	c.cut, c.chunk = true, nil
	return text, cut
}
