package main

import (
	"cmp"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/stepgraph/stepgraph/access"
	"github.com/stepgraph/stepgraph/sqlite"
)

// local finds what dev and serve keep on this machine: the store of the folder, the address of
// the engine that has it, tokens and vault.
type local struct{ *app }

// devStore is the embedded store of this directory.
func (l *local) devStore() string { return storeSQLite + ":" + l.devFile() }

func (l *local) devFile() string { return filepath.Join(l.dir, "stepgraph.db") }

// hasDevStore reports whether dev has ever run here.
func (l *local) hasDevStore() bool {
	_, err := os.Stat(l.devFile())
	return err == nil
}

func (l *local) addressFile() string { return filepath.Join(l.dir, "address") }

// shortestToken is the length that a token must have if the server is reachable from other machines.
const shortestToken = 32

// announce writes the address where other commands look for it; the returned func removes it.
func (l *local) announce(address string) (func() error, error) {
	if err := os.MkdirAll(l.dir, 0o700); err != nil {
		return nil, err
	}
	file := l.addressFile()
	draft := filepath.Join(l.dir, fmt.Sprintf("address.%d", os.Getpid()))
	if err := os.WriteFile(draft, []byte(address+"\n"), 0o600); err != nil {
		return nil, err
	}
	if err := os.Rename(draft, file); err != nil {
		return nil, errors.Join(err, os.Remove(draft))
	}
	return func() error { return os.Remove(file) }, nil
}

// tokensFile is where the tokens of a store are; "" for a store in memory.
func (l *local) tokensFile(store string) string {
	return l.storeFile(store, "tokens", l.env("STEPGRAPH_TOKENS"))
}

// storeFile is where a private file of a store is: the given name, else next to an embedded
// store, else in the folder of dev. It is "" for a store in memory, which keeps nothing.
func (l *local) storeFile(store, what, given string) string {
	kind, file, err := kindOfStore(l.config.address(store))
	switch {
	case given != "":
		return given
	case err != nil || kind == storeMemory:
		return ""
	case kind == storeSQLite:
		return file + "." + what
	}
	return filepath.Join(l.dir, what)
}

// openTokens opens the tokens of a store for serving. It returns nil where requests need
// none: no --token was given and no token has been made.
func (l *local) openTokens(store, given string) (*access.File, error) {
	name := l.tokensFile(store)
	if name == "" {
		return nil, nil
	}
	file, err := access.Open(name)
	if err != nil {
		return nil, err
	}
	if made, err := file.List(); err != nil || given == "" && len(made) == 0 {
		return nil, err
	}
	return file, nil
}

// vaultFile is where profiles, variables and secrets of a store are; "" for a store in memory.
func (l *local) vaultFile(store string) string {
	return l.storeFile(store, "vault", cmp.Or(l.env("STEPGRAPH_VAULT"), l.config.Vault))
}

// devTokenFile holds the token that dev makes for itself. Commands in the same folder read it,
// which only the owner of the folder may do.
func (l *local) devTokenFile() string { return filepath.Join(l.dir, "token") }

// devToken reads the token of this folder, and makes it where there is none. It stays the same
// over restarts, so that open pages go on.
func (l *local) devToken() (string, error) {
	text, err := os.ReadFile(l.devTokenFile())
	if err == nil && len(strings.TrimSpace(string(text))) >= shortestToken {
		return strings.TrimSpace(string(text)), os.Chmod(l.devTokenFile(), 0o600)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	if err := os.MkdirAll(l.dir, 0o700); err != nil {
		return "", err
	}
	token := "sg_dev_" + rand.Text() + rand.Text()
	return token, os.WriteFile(l.devTokenFile(), []byte(token+"\n"), 0o600)
}

// servesHere reports whether the server of this folder has an address: dev has written it, or holds
// the store and has not written it yet.
func (l *local) servesHere(address string) bool {
	if here, err := os.ReadFile(l.addressFile()); err == nil && trimAddress(string(here)) == trimAddress(address) {
		return true
	}
	held, err := sqlite.Holder(l.devFile())
	return err == nil && held != nil && trimAddress(held.Address) == trimAddress(address)
}

func trimAddress(address string) string {
	return strings.TrimRight(strings.TrimPrefix(strings.TrimSpace(address), "http://"), "/")
}
