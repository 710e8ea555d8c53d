package vault

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"time"

	"github.com/stepgraph/stepgraph/internal/jsontext"
)

func put[T any](all *map[string]kept[T], name string, entry T, now time.Time) error {
	if *all == nil {
		*all = map[string]kept[T]{}
	}
	(*all)[name] = kept[T]{entry, now.UTC().Truncate(time.Millisecond)}
	return nil
}

func remove[T any](all map[string]kept[T], name string, missing error) error {
	if _, ok := all[name]; !ok {
		return &NotFoundError{Err: missing, Name: name}
	}
	delete(all, name)
	return nil
}

// change makes a change and writes the file. What cannot be written is not changed here
// either.
func (v *Vault) change(kind, name string, fixed bool, do func(*stored) error) (err error) {
	if fixed {
		return fmt.Errorf("%s %s: %w: change it there", kind, name, ErrFixed)
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.options.File != "" {
		unlock, err := v.file.Lock()
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, unlock()) }()
	}
	if err := v.refresh(); err != nil {
		return err
	}
	next := v.stored.clone()
	if err := do(&next); err != nil {
		return err
	}
	if err := v.write(next); err != nil {
		return fmt.Errorf("keep %s %s: %w", kind, name, err)
	}
	v.stored = next
	return nil
}

// clone may be changed, but for what its entries refer to.
func (s stored) clone() stored {
	return stored{maps.Clone(s.Profiles), maps.Clone(s.Variables), maps.Clone(s.Secrets)}
}

// refresh reads the file if it has changed since it was read. It is called with the lock held.
func (v *Vault) refresh() error {
	if v.options.File == "" {
		return nil
	}
	text, version, changed, err := v.file.Read()
	if err != nil || !changed {
		return err
	}
	var next stored
	if version != nil {
		if err := json.Unmarshal(text, &next); err != nil {
			return fmt.Errorf("%s: %w: mend it, or move it away to begin anew", v.options.File, err)
		}
	}
	v.stored = next
	v.file.Accept(version)
	return nil
}

// write replaces the file as a whole: a concurrent reader sees the old or the new text.
func (v *Vault) write(s stored) error {
	if v.options.File == "" {
		return nil
	}
	text, err := jsontext.Marshal(s) // values stay as they were given
	if err != nil {
		return err
	}
	return v.file.Replace(append(text, '\n'))
}
