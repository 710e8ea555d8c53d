// Package access keeps the tokens by which people and programs use a server, and says what
// each may do.
//
// Tokens are stored in one file of mode 0600, as hashes, so that a copy of the file gives no
// access. Several servers share the file through a common folder, as they do the vault. Each
// server checks before each request whether the file has changed, so creating and revoking a
// token needs no restart.
package access

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/stepgraph/stepgraph/internal/privatefile"
	"github.com/stepgraph/stepgraph/internal/sorting"
)

// Scopes, each a power of its own; Admin is all of them.
const (
	Read    = "read"     // look at workflows, sessions and their history
	Answer  = "answer"   // start sessions and answer questions
	Operate = "operate"  // pause, resume, cancel, retry, edit and delete sessions; batches
	Edit    = "edit"     // change workflows
	RunCode = "run-code" // with edit: write steps that run code
	Admin   = "admin"    // everything, secrets included
)

// Scopes lists all scopes.
var Scopes = []string{Read, Answer, Operate, Edit, RunCode, Admin}

// A Token is a stored token: everything but its text.
type Token struct {
	Name      string    `json:"name"`
	Scopes    []string  `json:"scopes"`
	CreatedAt time.Time `json:"created_at"`
	ExpiresAt time.Time `json:"expires_at,omitzero"`
	Quota     Quota     `json:"quota,omitzero"`
	Limit     Limit     `json:"limit,omitzero"`
	Hash      string    `json:"hash"` // SHA-256 of its text, which has 256 random bits
}

// Allows reports whether the token has a scope.
func (t *Token) Allows(scope string) bool {
	return slices.Contains(t.Scopes, scope) || slices.Contains(t.Scopes, Admin)
}

// What callers decide on.
var (
	ErrExists   = errors.New("there is a token of this name; revoke it, or give another name")
	ErrNotFound = errors.New("there is no token of this name")
	ErrInvalid  = errors.New("the token cannot be made")

	// ErrEnded is the cause with which the context of a request ends when its token no longer
	// allows it.
	ErrEnded = errors.New("the token has been revoked or changed, or has expired")
)

var nameForm = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)

// A File is a file of tokens. It may be used by several goroutines.
type File struct {
	now  func() time.Time
	mu   sync.Mutex
	file privatefile.File
	all  []Token
}

// Open reads a file of tokens, which may be absent. A file that others may read is an error.
func Open(name string) (*File, error) {
	f := &File{file: privatefile.File{Name: name}, now: time.Now}
	f.mu.Lock()
	defer f.mu.Unlock()
	return f, f.refresh()
}

// A Wish describes a token to be created.
type Wish struct {
	Name     string
	Scopes   []string
	Lifetime time.Duration // 0: it does not expire
	Quota    Quota
	Limit    Limit
}

// Create makes a token and returns its text. Only its hash is stored, so the text cannot be read again.
func (f *File) Create(name string, scopes []string, lifetime time.Duration) (text string, t Token, err error) {
	return f.Make(Wish{Name: name, Scopes: scopes, Lifetime: lifetime})
}

// Make makes a token and returns its text. Only its hash is stored, so the text cannot be read again.
func (f *File) Make(w Wish) (text string, t Token, err error) {
	name, scopes, lifetime := w.Name, w.Scopes, w.Lifetime
	if err := errors.Join(w.Quota.check(), w.Limit.check(scopes)); err != nil {
		return "", t, err
	}
	if !nameForm.MatchString(name) {
		return "", t, fmt.Errorf("%w: name %q: want up to 64 letters, digits, ., _ and -", ErrInvalid, name)
	}
	if len(scopes) == 0 {
		return "", t, fmt.Errorf("%w: it needs a scope, of %s", ErrInvalid, strings.Join(Scopes, ", "))
	}
	for _, s := range scopes {
		if !slices.Contains(Scopes, s) {
			return "", t, fmt.Errorf("%w: scope %q is none of %s", ErrInvalid, s, strings.Join(Scopes, ", "))
		}
	}
	if lifetime < 0 {
		return "", t, fmt.Errorf("%w: the lifetime is negative", ErrInvalid)
	}
	var random [32]byte
	_, _ = rand.Read(random[:]) // never fails
	text = "sg_" + base64.RawURLEncoding.EncodeToString(random[:])
	now := f.now().UTC().Truncate(time.Second)
	t = Token{Name: name, Scopes: scopes, CreatedAt: now, Quota: w.Quota, Limit: w.Limit, Hash: hashOf(text)}
	if lifetime > 0 {
		t.ExpiresAt = now.Add(lifetime)
	}
	err = f.change(func(all []Token) ([]Token, error) {
		if slices.ContainsFunc(all, func(have Token) bool { return have.Name == name }) {
			return nil, fmt.Errorf("token %s: %w", name, ErrExists)
		}
		return append(all, t), nil
	})
	return text, t, err
}

// Revoke removes a token: servers refuse it from their next request on.
func (f *File) Revoke(name string) error {
	return f.change(func(all []Token) ([]Token, error) {
		left := slices.DeleteFunc(all, func(t Token) bool { return t.Name == name })
		if len(left) == len(all) {
			return nil, fmt.Errorf("token %s: %w", name, ErrNotFound)
		}
		return left, nil
	})
}

// change reads the file, applies edit to a copy of its tokens and writes the result, while no
// other process does the same: a token that is created must not undo one that is revoked.
func (f *File) change(edit func(all []Token) ([]Token, error)) (err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	unlock, err := f.file.Lock()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	if err := f.refresh(); err != nil {
		return err
	}
	next, err := edit(slices.Clone(f.all))
	if err != nil {
		return err
	}
	sorting.By(next, func(a, b *Token) int { return strings.Compare(a.Name, b.Name) })
	text, err := json.MarshalIndent(next, "", "  ")
	if err != nil {
		return err
	}
	if err := f.file.Replace(append(text, '\n')); err != nil {
		return err
	}
	f.all = next
	return nil
}

// List returns the tokens by name.
func (f *File) List() ([]Token, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	err := f.refresh()
	return slices.Clone(f.all), err
}

// Find returns the token of a text; nil when there is none, or it has expired.
func (f *File) Find(text string) (*Token, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.refresh(); err != nil {
		return nil, err
	}
	// The text has 256 random bits, so the time of comparing hashes tells an attacker nothing.
	hash := hashOf(text)
	for i := range f.all {
		if t := f.all[i]; t.Hash == hash && (t.ExpiresAt.IsZero() || f.now().Before(t.ExpiresAt)) {
			return &t, nil
		}
	}
	return nil, nil
}

func hashOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// refresh reads the file if it has changed since it was read.
func (f *File) refresh() error {
	text, version, changed, err := f.file.Read()
	if err != nil || !changed {
		return err
	}
	var all []Token
	if version != nil {
		if err := json.Unmarshal(text, &all); err != nil {
			return fmt.Errorf("%s: %w: repair it, or remove it and make new tokens", f.file.Name, err)
		}
	}
	f.all = all
	f.file.Accept(version)
	return nil
}
