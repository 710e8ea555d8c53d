package main

import (
	"regexp"
	"strings"
	"testing"
)

// A block is one fenced block of a Markdown page. Its info string is a language and
// attributes, for example `json file=order.json` or `console fails`.
type block struct {
	line       int // of the opening fence, from 1
	language   string
	attributes map[string]string
	text       string
	from, to   int // byte offsets of the text in the page
}

var attribute = regexp.MustCompile(`(\w+)(?:=(?:"([^"]*)"|(\S+)))?`)

// readBlocks returns the fenced blocks of a page in order.
func readBlocks(t *testing.T, name, page string) []block {
	t.Helper()
	var blocks []block
	var open *block
	offset, number := 0, 0
	for line := range strings.Lines(page) {
		number++
		switch info, fence := strings.CutPrefix(strings.TrimRight(line, "\n"), "```"); {
		case fence && open == nil:
			language, rest, _ := strings.Cut(info, " ")
			open = &block{line: number, language: language, attributes: map[string]string{}, from: offset + len(line)}
			for _, m := range attribute.FindAllStringSubmatch(rest, -1) {
				open.attributes[m[1]] = m[2] + m[3]
			}
		case fence && info == "":
			open.to = offset
			open.text = page[open.from:open.to]
			blocks = append(blocks, *open)
			open = nil
		}
		offset += len(line)
	}
	if open != nil {
		t.Fatalf("%s:%d: the block has no end", name, open.line)
	}
	return blocks
}

func (b *block) has(name string) bool {
	_, ok := b.attributes[name]
	return ok
}

// A typedCommand is a command of a console block and the output below it.
type typedCommand struct {
	line    int
	command string // with its continuation lines
	typed   string // the lines as they stand on the page
	output  string
}

// commands reads a console block: a command follows "$ ", goes on after a backslash at the
// end of a line, and what follows up to the next command is its output. A line "^C" stops
// the server that was started last.
func (b *block) commands(t *testing.T, name string) []typedCommand {
	t.Helper()
	var all []typedCommand
	continued := false
	line := b.line
	for text := range strings.Lines(b.text) {
		line++
		plain := strings.TrimRight(text, "\n")
		command, typed := strings.CutPrefix(plain, "$ ")
		switch {
		case continued:
			last := &all[len(all)-1]
			last.command += "\n" + plain
			last.typed += text
		case typed || plain == "^C":
			if !typed {
				command = plain
			}
			all = append(all, typedCommand{line: line, command: command, typed: text})
		case len(all) == 0:
			t.Fatalf("%s:%d: output without a command", name, line)
		default:
			all[len(all)-1].output += text
			continue
		}
		continued = strings.HasSuffix(plain, `\`)
	}
	return all
}

// A part of the output that differs from run to run, and what it is compared as.
var varying = []struct {
	pattern *regexp.Regexp
	as      string
}{
	{regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`), "ID"},
	{regexp.MustCompile(`\b[0-9a-f]{12,64}\b`), "HASH"},
	{regexp.MustCompile(`\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d)?(\.\d+)?(Z| [A-Z]{2,4}|[+-]\d\d:\d\d)?`), "TIME"},
	{regexp.MustCompile(`\b\d{13}\b`), "MILLISECONDS"},
	{regexp.MustCompile(` *\b\d+(\.\d+)? ?(ns|µs|ms|s)\b`), ""}, // a list leaves out those that are nearly 0
	{regexp.MustCompile(`[ \t\r]+`), " "},
	{regexp.MustCompile(`(?m) $`), ""},
}

// settle replaces what differs from run to run.
func settle(text string) string {
	for _, v := range varying {
		text = v.pattern.ReplaceAllString(text, v.as)
	}
	return strings.TrimRight(text, "\n ")
}

// matches reports whether output is what the page shows. On the page "…" stands for any
// text of a line, and a line of its own for any number of lines.
func matches(page, output string) bool {
	if page == output {
		return true
	}
	var pattern strings.Builder
	pattern.WriteString("^")
	for line := range strings.Lines(settle(page) + "\n") {
		if strings.TrimSpace(line) == "…" {
			pattern.WriteString(`(?:.*\n)*?`)
			continue
		}
		pattern.WriteString(strings.ReplaceAll(regexp.QuoteMeta(line), "…", ".*?"))
	}
	pattern.WriteString("$")
	return regexp.MustCompile(pattern.String()).MatchString(settle(output) + "\n")
}

func TestMatches(t *testing.T) {
	for _, c := range []struct {
		page, output string
		want         bool
	}{
		{"a\nb\n", "a\nb\n", true},
		{"a\n", "a\nb\n", false},
		{"a\n…\n", "a\nb\nc\n", true},
		{"a\n…\nc\n", "a\nb\nc\n", true},
		{"a\n…\nd\n", "a\nb\nc\n", false},
		{"id …, done\n", "id 7, done\n", true},
		{"took 3ms\n", "took 41.5ms\n", true},
		{"019a7b2c-0000-7000-8000-000000000000 ok\n", "019a7b2c-1111-7000-8000-000000000000 ok\n", true},
		{"session 1\n", "session 2\n", false},
		{"", "something\n", false},
	} {
		if matches(c.page, c.output) != c.want {
			t.Errorf("%q shows %q: %t", c.page, c.output, !c.want)
		}
	}
}
