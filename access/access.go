// Package access keeps the tokens by which people and programs use a server, and says what
// each may do.
//
// Tokens stand in one file of mode 0600, as hashes: whoever reads the file can use none of
// them. Several servers share it through a common folder, as they do the vault: each looks
// whether it has changed before it answers, so a token is made and revoked without a
// restart.
package access

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
)

// Scopes, each a power of its own; Admin is all of them.
const (
	Read    = "read"     // look at workflows, sessions and their history
	Answer  = "answer"   // start sessions and answer questions
	Operate = "operate"  // steer, edit and delete sessions, and run batches
	Edit    = "edit"     // change workflows
	RunCode = "run-code" // with edit: write steps that run code
	Admin   = "admin"    // everything, secrets included
)

// Scopes lists all scopes.
var Scopes = []string{Read, Answer, Operate, Edit, RunCode, Admin}

// A Token is what may be known of a token: everything but its text.
type Token struct {
	Name      string    `json:"name"`
	Scopes    []string  `json:"scopes"`
	CreatedAt time.Time `json:"created_at"`
	ExpiresAt time.Time `json:"expires_at,omitzero"`
	Quota     Quota     `json:"quota,omitzero"`
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
)

var nameForm = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)

// A File is a file of tokens. It may be used by several goroutines.
type File struct {
	name string
	now  func() time.Time
	mu   sync.Mutex
	seen os.FileInfo
	all  []Token
}

// Open reads a file of tokens, which may be absent. A file that others may read is an error.
func Open(name string) (*File, error) {
	f := &File{name: name, now: time.Now}
	f.mu.Lock()
	defer f.mu.Unlock()
	return f, f.refresh()
}

// A Wish says what a token is made for.
type Wish struct {
	Name     string
	Scopes   []string
	Lifetime time.Duration // 0 is for ever
	Quota    Quota
}

// Create makes a token and returns its text, which nobody can read again.
func (f *File) Create(name string, scopes []string, lifetime time.Duration) (text string, t Token, err error) {
	return f.Make(Wish{Name: name, Scopes: scopes, Lifetime: lifetime})
}

// Make makes a token and returns its text, which nobody can read again.
func (f *File) Make(w Wish) (text string, t Token, err error) {
	name, scopes, lifetime := w.Name, w.Scopes, w.Lifetime
	if err := w.Quota.check(); err != nil {
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
		return "", t, fmt.Errorf("%w: it would have expired before it is made", ErrInvalid)
	}
	var random [32]byte
	_, _ = rand.Read(random[:]) // never fails
	text = "sg_" + base64.RawURLEncoding.EncodeToString(random[:])
	now := f.now().UTC().Truncate(time.Second)
	t = Token{Name: name, Scopes: scopes, CreatedAt: now, Quota: w.Quota, Hash: hashOf(text)}
	if lifetime > 0 {
		t.ExpiresAt = now.Add(lifetime)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.refresh(); err != nil {
		return "", t, err
	}
	if slices.ContainsFunc(f.all, func(have Token) bool { return have.Name == name }) {
		return "", t, fmt.Errorf("token %s: %w", name, ErrExists)
	}
	return text, t, f.write(append(slices.Clone(f.all), t))
}

// Revoke removes a token: servers refuse it from their next request on.
func (f *File) Revoke(name string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.refresh(); err != nil {
		return err
	}
	left := slices.DeleteFunc(slices.Clone(f.all), func(t Token) bool { return t.Name == name })
	if len(left) == len(f.all) {
		return fmt.Errorf("token %s: %w", name, ErrNotFound)
	}
	return f.write(left)
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
	// Hashes of 256 random bits: how far a wrong one agrees says nothing of the text.
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

// refresh reads the file if it is another than the one that was read.
func (f *File) refresh() error {
	info, err := os.Stat(f.name)
	if errors.Is(err, fs.ErrNotExist) {
		f.all, f.seen = nil, nil
		return nil
	}
	if err != nil {
		return err
	}
	if f.seen != nil && os.SameFile(info, f.seen) && info.ModTime().Equal(f.seen.ModTime()) && info.Size() == f.seen.Size() {
		return nil
	}
	if err := private(f.name, info); err != nil {
		return err
	}
	text, err := os.ReadFile(f.name)
	if err != nil {
		return err
	}
	var all []Token
	if err := json.Unmarshal(text, &all); err != nil {
		return fmt.Errorf("%s: %w: repair it, or remove it and make new tokens", f.name, err)
	}
	f.all, f.seen = all, info
	return nil
}

// write replaces the file as a whole: whoever reads it meanwhile reads the old or the new one.
func (f *File) write(all []Token) (err error) {
	slices.SortFunc(all, func(a, b Token) int { return strings.Compare(a.Name, b.Name) })
	text, err := json.MarshalIndent(all, "", "  ")
	if err != nil {
		return err
	}
	dir := filepath.Dir(f.name)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	draft, err := os.CreateTemp(dir, filepath.Base(f.name)+".*") // which has mode 0600
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(draft.Name()))
		}
	}()
	if _, err = draft.Write(append(text, '\n')); err == nil {
		err = draft.Sync()
	}
	if err = errors.Join(err, draft.Close()); err == nil {
		err = os.Rename(draft.Name(), f.name)
	}
	if err == nil {
		f.all = all
		f.seen, err = os.Stat(f.name)
	}
	return err
}
