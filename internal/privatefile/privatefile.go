// Package privatefile reads and replaces files that only their owner may read: tokens and
// the vault.
//
// A file is replaced as a whole by renaming a finished copy, so that a reader in another
// process sees the old or the new text and never a part. Changing the file in place would be
// shorter, and a crash in the middle would lose every token.
package privatefile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// A File remembers which version of a file was read last. It is not safe for use by several
// goroutines.
type File struct {
	Name string
	seen fs.FileInfo
}

// Read returns the text if the file has changed since the last Read or Replace. An absent
// file is changed, with no text. A file that others may read is an error. The version counts
// as read only after Accept, so that a text that cannot be decoded is reported each time.
func (f *File) Read() (text []byte, version fs.FileInfo, changed bool, err error) {
	info, err := os.Stat(f.Name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, true, nil
	}
	if err != nil {
		return nil, nil, false, err
	}
	if f.seen != nil && os.SameFile(info, f.seen) && info.ModTime().Equal(f.seen.ModTime()) && info.Size() == f.seen.Size() {
		return nil, info, false, nil
	}
	if err := checkMode(f.Name, info); err != nil {
		return nil, nil, false, err
	}
	text, err = os.ReadFile(f.Name)
	return text, info, err == nil, err
}

// Accept remembers a version that was decoded; nil is that of an absent file.
func (f *File) Accept(version fs.FileInfo) { f.seen = version }

// Replace writes the file with mode 0600 and makes its folder, with mode 0700, if need be.
func (f *File) Replace(text []byte) (err error) {
	dir := filepath.Dir(f.Name)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	draft, err := os.CreateTemp(dir, filepath.Base(f.Name)+".*") // mode 0600
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(draft.Name()))
		}
	}()
	if _, err = draft.Write(text); err == nil {
		err = draft.Sync()
	}
	if err = errors.Join(err, draft.Close()); err != nil {
		return err
	}
	if err = os.Rename(draft.Name(), f.Name); err != nil {
		return err
	}
	info, statErr := os.Stat(f.Name)
	f.seen = info
	_ = statErr // the next Read reports it
	return nil
}

// CheckMode refuses a file that others than its owner may read or change.
func CheckMode(name string) error {
	info, err := os.Stat(name)
	if err != nil {
		return err
	}
	return checkMode(name, info)
}
