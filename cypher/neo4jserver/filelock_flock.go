//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package neo4jserver

import (
	"errors"
	"os"
	"syscall"
)

// locksWork says that a lock that can be taken proves that no process holds it.
const locksWork = true

func lockFile(file *os.File) error {
	err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return errLocked
	}
	return err
}
