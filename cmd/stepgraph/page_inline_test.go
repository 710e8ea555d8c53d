package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// inlineCommand matches a command within a sentence.
var inlineCommand = regexp.MustCompile("`(stepgraph [^`\n]+)`")

// TestInlineCommands checks that each command named in a sentence of a page exists, with its
// flags. TestPages runs the commands in code blocks.
func TestInlineCommands(t *testing.T) {
	functions, err := filepath.Glob(filepath.Join(repository, "docs", "functions", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	others := []string{filepath.Join(repository, "ARCHITECTURE.md"), filepath.Join(repository, "SECURITY.md")}
	checked := 0
	for _, file := range append(append(pages(t), functions...), others...) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range inlineCommand.FindAllStringSubmatch(string(text), -1) {
			checked++
			words := strings.Fields(m[1])[1:]
			c, rest, err := (&app{}).rootCommand().Find(words)
			if err != nil {
				t.Errorf("%s: `%s`: %v", file, m[1], err)
				continue
			}
			if c.HasSubCommands() && len(rest) > 0 && regexp.MustCompile(`^[a-z-]+$`).MatchString(rest[0]) {
				t.Errorf("%s: `%s`: %s has no command %s", file, m[1], c.CommandPath(), rest[0])
			}
			for _, word := range rest {
				name, isFlag := strings.CutPrefix(strings.Trim(word, "[](),;:."), "--")
				name, _, _ = strings.Cut(name, "=")
				if isFlag && name != "" && name != "help" && c.Flags().Lookup(name) == nil && c.InheritedFlags().Lookup(name) == nil {
					t.Errorf("%s: `%s`: %s has no flag --%s", file, m[1], c.CommandPath(), name)
				}
			}
		}
	}
	if checked < 50 {
		t.Errorf("only %d commands were found", checked)
	}
}

// TestStartOfREADME runs what the README installs with, into a folder of its own.
func TestStartOfREADME(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(repository, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, start, _ := strings.Cut(string(text), "## Start")
	_, block, _ := strings.Cut(start, "```sh")
	_, block, _ = strings.Cut(block, "\n")
	block, _, _ = strings.Cut(block, "```")
	install, serve, _ := strings.Cut(strings.TrimSpace(block), "\n")
	if !strings.HasPrefix(install, "go install ") || serve != "stepgraph dev" {
		t.Fatalf("the block is\n%s", block)
	}
	bin := t.TempDir()
	words := strings.Fields(install)
	c := exec.CommandContext(t.Context(), words[0], words[1:]...)
	c.Dir, c.Env = repository, append(os.Environ(), "GOBIN="+bin)
	if said, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", install, err, said)
	}
	said, err := exec.CommandContext(t.Context(), filepath.Join(bin, "stepgraph"), "dev", "--help").CombinedOutput()
	if err != nil || !strings.Contains(string(said), "Studio") {
		t.Errorf("dev --help: %v\n%s", err, said)
	}
}
