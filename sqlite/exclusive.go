package sqlite

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// A HeldError says that an engine has the file: ask it at Address instead.
type HeldError struct {
	File    string
	Address string // as given in its Options.Exclusive; "" if it could not be read
	PID     int    // its process; 0 if it could not be read
}

// Error says who holds the file.
func (e *HeldError) Error() string {
	return fmt.Sprintf("%s is held by the engine at %s (process %d): use that server, or stop it first", e.File, e.Address, e.PID)
}

// A hold is the operating system's lock on FILE.lock. The system releases it when the process
// ends, in whatever way, so a dead engine never blocks a file. SQLite's own locks do not serve:
// they are free between transactions and do not identify their holder.
type hold struct{ f *os.File }

// holdFile takes the lock of a database file for an address.
func holdFile(file, address string) (*hold, error) {
	f, err := os.OpenFile(file+".lock", os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := tryLock(f); err != nil {
		defer f.Close()
		if !errors.Is(err, errLocked) {
			return nil, fmt.Errorf("lock %s: %w", f.Name(), err)
		}
		return nil, heldBy(file, f.Name())
	}
	h := &hold{f: f}
	if err := h.put(address + "\n" + strconv.Itoa(os.Getpid()) + "\n"); err != nil {
		return nil, errors.Join(err, h.release())
	}
	return h, nil
}

// heldBy reads what the holder wrote. Both values are empty if the holder has not written yet.
func heldBy(file, lock string) *HeldError {
	e := &HeldError{File: file}
	b, err := os.ReadFile(lock)
	if err != nil {
		return e
	}
	address, pid, _ := strings.Cut(string(b), "\n")
	e.Address = address
	e.PID, _ = strconv.Atoi(strings.TrimSpace(pid)) // 0 says that it could not be read
	return e
}

func (h *hold) put(text string) error {
	if err := h.f.Truncate(0); err != nil {
		return err
	}
	_, err := h.f.WriteAt([]byte(text), 0)
	return err
}

// release empties the file and gives up the lock. The file stays: removing it would let
// two processes lock two files of one name.
func (h *hold) release() error {
	return errors.Join(h.put(""), h.f.Close())
}

// oneName returns the canonical name of a file. SQLite's log and our lock are named after the
// file, so two engines that open one file by two names do not see each other and lose acknowledged
// writes. Symbolic links are followed. A file with several hard links has no canonical name, so it
// is refused.
func oneName(file string) (string, error) {
	real, err := filepath.EvalSymlinks(file)
	if err != nil {
		return "", err
	}
	n, err := hardLinks(real)
	if err != nil {
		return "", err
	}
	if n > 1 {
		return "", fmt.Errorf("%s has %d hard links: engines that open it by different names would overwrite each other's log; remove the other names", real, n)
	}
	return real, nil
}

// Holder returns which process holds a file, without opening it; nil if no engine does.
func Holder(file string) (*HeldError, error) {
	if real, err := filepath.EvalSymlinks(file); err == nil {
		file = real
	}
	f, err := os.OpenFile(file+".lock", os.O_RDWR, 0)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	err = tryLock(f)
	if errors.Is(err, errLocked) {
		return heldBy(file, f.Name()), nil
	}
	return nil, err
}
