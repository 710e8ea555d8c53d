package main

import (
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// TestConfigurationPage compares the table of docs/configuration.md with the flags of
// servers, the variables that the commands read and the keys of the configuration file.
func TestConfigurationPage(t *testing.T) {
	shown := configurationTable(t)
	for column, have := range []map[string]bool{serverFlags(), environment(t), configKeys()} {
		for name := range have {
			if !shown[column][name] {
				t.Errorf("docs/configuration.md lacks %s", name)
			}
		}
		for name := range shown[column] {
			if !have[name] {
				t.Errorf("docs/configuration.md has %s, which does not exist", name)
			}
		}
	}
}

var quoted = regexp.MustCompile("`([^`]+)`")

// configurationTable returns the names in the first three columns of the page's first table.
func configurationTable(t *testing.T) [3]map[string]bool {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(repository, "docs", "configuration.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(text), "| flag |")
	table, _, _ = strings.Cut(table, "\n\n")
	var shown [3]map[string]bool
	for column := range shown {
		shown[column] = map[string]bool{}
		for line := range strings.Lines(table) {
			if cells := strings.Split(line, "|"); len(cells) > 4 && !strings.HasPrefix(line, "|-") {
				names, _, _ := strings.Cut(cells[column+1], ":") // what follows are keys of an object
				for _, m := range quoted.FindAllStringSubmatch(names, -1) {
					shown[column][m[1]] = true
				}
			}
		}
	}
	delete(shown[0], "-o")
	return shown
}

// serverFlags are the flags of dev, serve and all commands, and the address of a server.
func serverFlags() map[string]bool {
	flags := map[string]bool{}
	add := func(f *pflag.Flag) { flags["--"+f.Name] = true }
	root := (&app{}).rootCommand()
	root.PersistentFlags().VisitAll(add)
	for _, name := range []string{"dev", "serve"} {
		command, _, _ := root.Find([]string{name})
		command.Flags().VisitAll(add)
	}
	every(root, func(c *cobra.Command) {
		if f := c.Flags().Lookup("server"); f != nil {
			add(f)
		}
	})
	delete(flags, "--help")
	return flags
}

func every(c *cobra.Command, do func(*cobra.Command)) {
	do(c)
	for _, below := range c.Commands() {
		every(below, do)
	}
}

var environmentRead = regexp.MustCompile(`(?:(?:env|Getenv)\(|")"?((?:STEPGRAPH|NEO4J|OPENAI|ANTHROPIC)_[A-Z0-9_]+)"`)

// environment are the variables that the sources of this package read.
func environment(t *testing.T) map[string]bool {
	t.Helper()
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{"NEO4J_URI": true} // read by package neo4jserver for dev --neo4j
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range environmentRead.FindAllStringSubmatch(string(text), -1) {
			names[m[1]] = true
		}
	}
	return names
}

func configKeys() map[string]bool {
	keys := map[string]bool{}
	for _, field := range reflect.VisibleFields(reflect.TypeFor[config]()) {
		if !field.Anonymous { // the fields of an embedded struct are keys, it is none
			keys[field.Tag.Get("json")] = true
		}
	}
	return keys
}
