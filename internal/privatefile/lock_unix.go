//go:build unix

package privatefile

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
)

// Lock excludes other processes that change the file, until unlock is called. The lock is on
// a file of its own, because Replace puts another file under the name. A process that dies
// gives its lock back.
func (f *File) Lock() (unlock func() error, err error) {
	if err := os.MkdirAll(filepath.Dir(f.Name), 0o700); err != nil {
		return nil, err
	}
	lock, err := os.OpenFile(f.Name+".lock", os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	for {
		err = syscall.Flock(int(lock.Fd()), syscall.LOCK_EX)
		if !errors.Is(err, syscall.EINTR) {
			break
		}
	}
	if err != nil {
		return nil, errors.Join(err, lock.Close())
	}
	return lock.Close, nil
}
