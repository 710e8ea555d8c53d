package vault

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"time"
)

// mode is of the file and its key: their owner alone reads and writes them.
const mode = 0o600

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
func (v *Vault) change(kind, name string, fixed bool, do func(*stored) error) error {
	if fixed {
		return fmt.Errorf("%s %s: %w: change it there", kind, name, ErrFixed)
	}
	v.mu.Lock()
	defer v.mu.Unlock()
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

// refresh reads the file if it is another than the one that was read. It is called with the
// lock held.
func (v *Vault) refresh() error {
	if v.options.File == "" {
		return nil
	}
	info, err := os.Stat(v.options.File)
	if errors.Is(err, fs.ErrNotExist) {
		v.stored, v.seen = stored{}, nil
		return nil
	}
	if err != nil {
		return err
	}
	if v.seen != nil && os.SameFile(info, v.seen) && info.ModTime().Equal(v.seen.ModTime()) && info.Size() == v.seen.Size() {
		return nil
	}
	if err := private(v.options.File, info); err != nil {
		return err
	}
	text, err := os.ReadFile(v.options.File)
	if err != nil {
		return err
	}
	var next stored
	if err := json.Unmarshal(text, &next); err != nil {
		return fmt.Errorf("%s: %w: mend it, or move it away to begin anew", v.options.File, err)
	}
	v.stored, v.seen = next, info
	return nil
}

// write replaces the file as a whole: whoever reads it meanwhile reads the old or the new one.
func (v *Vault) write(s stored) error {
	if v.options.File == "" {
		return nil
	}
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false) // values stay as they were given
	if err := e.Encode(s); err != nil {
		return err
	}
	if err := replace(v.options.File, text.Bytes()); err != nil {
		return err
	}
	info, err := os.Stat(v.options.File)
	v.seen = info
	return err
}

func replace(name string, text []byte) (err error) {
	dir := filepath.Dir(name)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	draft, err := os.CreateTemp(dir, filepath.Base(name)+".*") // which has mode 0600
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(draft.Name()))
		}
	}()
	_, err = draft.Write(text)
	if err == nil {
		err = draft.Sync()
	}
	if err = errors.Join(err, draft.Close()); err != nil {
		return err
	}
	return os.Rename(draft.Name(), name)
}
