package main

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var updatePages = flag.Bool("update", false, "write the output of the commands into README.md and docs")

const repository = "../.."

// pages returns README.md and the pages in docs and docs/formats; package internal/docs tests
// the pages of functions.
func pages(t *testing.T) []string {
	t.Helper()
	all, err := filepath.Glob(filepath.Join(repository, "docs", "*.md"))
	if err != nil || len(all) == 0 {
		t.Fatalf("no pages: %v", err)
	}
	formats, err := filepath.Glob(filepath.Join(repository, "docs", "formats", "*.md"))
	if err != nil || len(formats) == 0 {
		t.Fatalf("no pages of formats: %v", err)
	}
	return append(append(all, formats...), filepath.Join(repository, "README.md"))
}

// TestPages types the commands of each page, in order, and compares what comes with what
// the page shows. A page is one shell in an empty folder:
//
//	```console           commands after "$ " and their output; `fails` allows exit codes other than 0
//	```json file=a.json  is written into the folder; docs/PAGE/a.json, where there is one, is the same text
//	```go from=PATH      stands in that file of the repository
//	```sh manual="why"   is not run, for the reason given
//
// `go test ./cmd/stepgraph -run TestPages -update` writes output that differs into the pages.
func TestPages(t *testing.T) {
	for _, file := range pages(t) {
		name := strings.TrimSuffix(strings.TrimPrefix(file, filepath.Join(repository, "docs")+"/"), ".md")
		t.Run(strings.TrimPrefix(name, repository+"/"), func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			p := &playedPage{T: t, file: file, text: string(text)}
			p.play()
			if p.Failed() && !*updatePages {
				p.Log("to write what the commands print now into the page: go test ./cmd/stepgraph -run TestPages -update")
			}
			if *updatePages && p.now() != p.text {
				if err := os.WriteFile(file, []byte(p.now()), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// A playedPage is a page and the shell it is typed into.
type playedPage struct {
	*testing.T
	file, text string
	shell      *pageShell
	rewritten  []block // blocks whose text should be another
}

func (p *playedPage) play() {
	for _, b := range readBlocks(p.T, p.file, p.text) {
		switch {
		case b.has("manual"):
			if b.attributes["manual"] == "" {
				p.Errorf("%s:%d: manual without a reason", p.file, b.line)
			}
		case b.has("from"):
			p.isPartOf(&b, filepath.Join(repository, b.attributes["from"]))
		case b.has("file"):
			p.write(&b)
		case b.language == "console":
			p.enter(&b)
		default:
			p.reads(&b)
		}
	}
}

// reads checks a block that is neither a file nor typed.
func (p *playedPage) reads(b *block) {
	switch b.language {
	case "json":
		if !json.Valid([]byte(b.text)) {
			p.Errorf("%s:%d: the block is not valid JSON", p.file, b.line)
		}
	case "text", "mermaid", "reference", "condition": // mermaid is drawn by a test of package formats, the last two are evaluated by one of package docs
	case "cypher": // run by tests of package docs and of this one
		if !slices.Contains([]string{"queries.md", "browser.md", "README.md"}, filepath.Base(p.file)) {
			p.Errorf("%s:%d: Cypher needs file= or from=", p.file, b.line)
		}
	default:
		p.Errorf("%s:%d: a block of %q needs console, file=, from= or manual=", p.file, b.line, b.language)
	}
}

func (p *playedPage) isPartOf(b *block, file string) {
	text, err := os.ReadFile(file)
	if err != nil {
		p.Fatal(err)
	}
	if !strings.Contains(string(text), b.text) {
		p.Errorf("%s:%d: the block is not part of %s", p.file, b.line, file)
	}
}

// write writes a file of the page, and keeps its copy beside the page.
func (p *playedPage) write(b *block) {
	p.open()
	name := b.attributes["file"]
	said := 0
	for _, s := range p.shell.servers {
		text, _ := s.talk.now()
		said = len(text)
	}
	if err := os.MkdirAll(filepath.Dir(filepath.Join(p.shell.dir, name)), 0o755); err != nil {
		p.Fatal(err)
	}
	write(p.T, filepath.Join(p.shell.dir, name), b.text)
	p.shell.reads(name, said)
	if b.has("kept") {
		p.keep(b, filepath.Join(strings.TrimSuffix(p.file, ".md"), name))
	}
}

// keep compares a block with the file beside the page that people copy.
func (p *playedPage) keep(b *block, file string) {
	got, err := os.ReadFile(file)
	if err == nil && string(got) == b.text {
		return
	}
	if !*updatePages {
		p.Errorf("%s:%d: %s is another text: go test ./cmd/stepgraph -run TestPages -update", p.file, b.line, file)
		return
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		p.Fatal(err)
	}
	write(p.T, file, b.text)
}

func (p *playedPage) open() {
	if p.shell == nil {
		p.shell = openShell(p.T)
	}
}

// enter types the commands of a block.
func (p *playedPage) enter(b *block) {
	p.open()
	var text strings.Builder
	commands := b.commands(p.T, p.file)
	for i, c := range commands {
		got, code := p.one(&c)
		text.WriteString(c.typed)
		asked := i+1 < len(commands) && commands[i+1].command == "echo $?"
		if code != 0 && !asked && !b.has("fails") {
			p.Errorf("%s:%d: %s\nends with %d: %s", p.file, c.line, c.command, code, got)
		}
		if matches(c.output, got) {
			text.WriteString(c.output)
			continue
		}
		text.WriteString(got)
		if !*updatePages {
			p.Errorf("%s:%d: %s\nprints\n%s\nthe page shows\n%s", p.file, c.line, c.command, got, c.output)
		}
	}
	if text.String() != b.text {
		b.text = text.String()
		p.rewritten = append(p.rewritten, *b)
	}
}

// one types one command: a server starts in the background, ^C stops the newest.
func (p *playedPage) one(c *typedCommand) (string, int) {
	if c.command == "^C" {
		last := len(p.shell.servers) - 1
		server := p.shell.servers[last]
		server.read = len(server.talk.all())
		server.stop()
		p.shell.servers = p.shell.servers[:last]
		return p.shell.shown(server.talk.all()[server.read:]), 0
	}
	if serverCommand.MatchString(c.command) {
		server := p.shell.start(c.command)
		return p.shell.says(server, c.output), 0
	}
	return p.shell.run(c.command)
}

// now is the page with the output that came.
func (p *playedPage) now() string {
	text := p.text
	for _, b := range slices.Backward(p.rewritten) {
		text = text[:b.from] + b.text + text[b.to:]
	}
	return text
}
