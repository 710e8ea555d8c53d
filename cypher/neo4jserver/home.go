package neo4jserver

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

const (
	temporaryPattern = "stepgraph-neo4j-*"
	lockName         = "stepgraph.lock"
	// leftAfter is the age from which a temporary home that no process holds is
	// one that a killed process left behind, not one that is being made.
	leftAfter = 10 * time.Minute
)

// A home is the directory of one server. Its lock is passed on to the server,
// so it is held until both of us are gone.
type home struct {
	dir       string
	temporary bool
	lock      *os.File
}

// openHome makes and locks the directory, a temporary one when dir is empty.
func openHome(dir string) (*home, error) {
	h := &home{dir: dir, temporary: dir == ""}
	if h.temporary {
		removeLeftHomes(os.TempDir(), time.Now().Add(-leftAfter))
		made, err := os.MkdirTemp("", temporaryPattern)
		if err != nil {
			return nil, fmt.Errorf("neo4j home: %w", err)
		}
		h.dir = made
	}
	absolute, err := filepath.Abs(h.dir)
	if err != nil {
		return nil, fmt.Errorf("neo4j home: %w", err)
	}
	h.dir = absolute
	for _, name := range []string{"conf", "data", "import", "logs", "plugins", "run"} {
		if err := os.MkdirAll(filepath.Join(h.dir, name), 0o755); err != nil {
			return nil, fmt.Errorf("neo4j home: %w", err)
		}
	}
	h.lock, err = tryLock(filepath.Join(h.dir, lockName))
	if errors.Is(err, errLocked) {
		return nil, fmt.Errorf("neo4j home %s is in use by another Neo4j: stop that one, or name it in $%s", h.dir, envURI)
	}
	if err != nil {
		return nil, fmt.Errorf("neo4j home: %w", err)
	}
	return h, nil
}

func (h *home) path(elements ...string) string {
	return filepath.Join(append([]string{h.dir}, elements...)...)
}

// inherited is what a server's process has to hold open to hold the lock too.
func (h *home) inherited() []*os.File {
	if !locksWork {
		return nil
	}
	return []*os.File{h.lock}
}

// leave gives the directory up and keeps it, so that its log can be read; a
// temporary one is deleted by a later start.
func (h *home) leave() error { return h.lock.Close() }

// close gives the directory up and deletes it when it is temporary.
func (h *home) close() error {
	err := h.leave()
	if h.temporary {
		err = errors.Join(err, os.RemoveAll(h.dir))
	}
	return err
}

// removeLeftHomes deletes temporary homes last changed before the given time
// that no process holds. What cannot be deleted belongs to another user.
func removeLeftHomes(parent string, before time.Time) {
	if !locksWork {
		return
	}
	dirs, _ := filepath.Glob(filepath.Join(parent, temporaryPattern))
	for _, dir := range dirs {
		info, err := os.Lstat(dir)
		if err != nil || !info.IsDir() || info.ModTime().After(before) {
			continue
		}
		lock, err := tryLock(filepath.Join(dir, lockName))
		if err != nil {
			continue
		}
		os.RemoveAll(dir)
		lock.Close()
	}
}
