package main

import (
	"crypto/rand"
	"crypto/subtle"
	"sync"
)

// A signIn exchanges a one-time code for the page's token. The code is part of a link that dev
// prints: a person at the terminal can sign in, and a link found later is useless.
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
