package neo4jserver

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"
)

// errLocked says that another process holds a file lock.
var errLocked = errors.New("locked by another process")

// tryLock takes the lock that the named file stands for, making the file, or
// returns errLocked. The lock ends when the file is closed by us and by every
// process that inherited it, so it never outlives them and is never stale.
func tryLock(name string) (*os.File, error) {
	file, err := os.OpenFile(name, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	if err := lockFile(file); err != nil {
		file.Close()
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return file, nil
}

// awaitLock takes the lock as soon as it is free; waiting is called once, when
// it is not free at first.
func awaitLock(ctx context.Context, name string, waiting func()) (*os.File, error) {
	ticker := time.NewTicker(200 * time.Millisecond)
	defer ticker.Stop()
	for first := true; ; first = false {
		file, err := tryLock(name)
		if !errors.Is(err, errLocked) {
			return file, err
		}
		if first {
			waiting()
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("%w: %w", err, context.Cause(ctx))
		case <-ticker.C:
		}
	}
}
