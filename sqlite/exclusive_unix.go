//go:build unix

package sqlite

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

var errLocked = errors.New("locked")

// tryLock takes the lock of an open file; closing the file releases it. It returns errLocked when
// another process has the lock.
func tryLock(f *os.File) error {
	err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		return errLocked
	}
	return err
}

// hardLinks returns the number of names (hard links) of a file.
func hardLinks(file string) (uint64, error) {
	var st unix.Stat_t
	if err := unix.Stat(file, &st); err != nil {
		return 0, err
	}
	return uint64(st.Nlink), nil
}
