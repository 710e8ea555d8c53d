package shell

import (
	"fmt"
	"strings"
)

// A here is a here-document whose text begins on the next line.
type here struct {
	word   string
	quoted bool
	tabs   bool // <<-
}

// beginHere reads the delimiter of a here-document.
func (b *binder) beginHere() {
	h := here{}
	b.take(2)
	if b.has("-") {
		h.tabs = true
		b.take(1)
	}
	for b.has(" ") || b.has("\t") {
		b.take(1)
	}
	start := b.at
	var word strings.Builder
	for b.at < len(b.text) && strings.IndexByte(" \t\n;&|<>()", b.text[b.at]) < 0 {
		switch c := b.text[b.at]; c {
		case '\'', '"', '\\':
			h.quoted = true
		default:
			word.WriteByte(c)
		}
		b.at++
	}
	b.out.WriteString(b.text[start:b.at])
	h.word = word.String()
	b.heres = append(b.heres, h)
}

// documents copies the here-documents after a line.
func (b *binder) documents() error {
	begun := b.text[b.top().start:b.at]
	b.take(1)
	for _, h := range b.heres {
		for b.at < len(b.text) {
			end := strings.IndexByte(b.text[b.at:], '\n')
			line := b.text[b.at:]
			if end >= 0 {
				line = b.text[b.at : b.at+end+1]
			}
			plain := strings.TrimSuffix(line, "\n")
			if h.tabs {
				plain = strings.TrimLeft(plain, "\t")
			}
			if plain == h.word {
				b.take(len(line))
				break
			}
			if err := b.documentLine(h, begun, b.at+len(line)); err != nil {
				return err
			}
		}
	}
	b.heres = nil
	b.top().start = b.at
	return nil
}

func (b *binder) documentLine(h here, begun string, end int) error {
	if !h.quoted { // is expanded like the inside of "…"
		outside := len(b.stack)
		b.enter(double, "")
		b.top().begun = begun
		defer func() { b.stack = b.stack[:outside] }()
		depth := len(b.stack)
		for b.at < end {
			if b.has(`"`) && len(b.stack) == depth {
				b.take(1)
				continue
			}
			if err := b.next(); err != nil {
				return err
			}
		}
		return nil
	}
	for b.at < end {
		if b.identifier() != "" {
			return fmt.Errorf("a reference stands in a here-document whose word is quoted, where nothing is replaced; take the quotes off << %s", h.word)
		}
		b.take(1)
	}
	return nil
}
