package main

import (
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/stepgraph/stepgraph/sqlite"
)

// anonymous is what requests without a token may do on dev: look, start sessions and answer.
var anonymous = []string{"read", "answer"}

// devTokenFile holds the token that dev makes for itself. Commands in the same folder read it
// by themselves, which only the owner of the folder may do.
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

// tokenFor is the token that a command sends to an address: the one that it was given, else,
// to the server of this folder and to no other, the one that dev has made there.
func (l *local) tokenFor(address string, r *reach) string {
	if token := first(r.token, l.env("STEPGRAPH_TOKEN"), l.config.Token); token != "" {
		return token
	}
	if !l.servesHere(address) {
		return ""
	}
	token, err := os.ReadFile(l.devTokenFile())
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(token))
}

// servesHere reports whether the server of this folder has an address: dev has written it, or holds
// the store and has not written it yet.
func (l *local) servesHere(address string) bool {
	if here, err := os.ReadFile(l.addressFile()); err == nil && bare(string(here)) == bare(address) {
		return true
	}
	held, err := sqlite.Holder(l.devFile())
	return err == nil && held != nil && bare(held.Address) == bare(address)
}

func bare(address string) string {
	return strings.TrimRight(strings.TrimPrefix(strings.TrimSpace(address), "http://"), "/")
}

// A signIn gives the page its token for a code that is taken once. The code is part of a link
// that dev prints, so that who sees the terminal can sign in, and a link that somebody finds
// later is worth nothing.
type signIn struct {
	token string
	used  func() // called after a code was taken
	mu    sync.Mutex
	code  string
}

// link is the path of the next sign-in.
func (s *signIn) link() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.code == "" {
		s.code = rand.Text()
	}
	return "/sign-in/" + s.code
}

// take exchanges a code for the token; "" is for a wrong one.
func (s *signIn) take(code string) string {
	s.mu.Lock()
	right := s.code != "" && subtle.ConstantTimeCompare([]byte(code), []byte(s.code)) == 1
	if right {
		s.code = ""
	}
	s.mu.Unlock()
	if !right {
		return ""
	}
	if s.used != nil {
		s.used()
	}
	return s.token
}

// ownDoor makes dev's own token where none was given: then everybody on this machine may look
// and answer, and whoever reads the folder, or has the link, may do everything.
func (s *serving) ownDoor() error {
	if s.o.token != "" || s.o.open {
		return nil
	}
	token, err := s.cmd.local.devToken()
	if err != nil {
		return err
	}
	s.o.token, s.anonymous = token, anonymous
	s.signIn = &signIn{token: token}
	s.signIn.used = func() { s.cmd.say("signed in; for another browser: %s%s", s.on.address(), s.signIn.link()) }
	return nil
}
