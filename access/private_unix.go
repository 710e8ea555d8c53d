//go:build unix

package access

import (
	"fmt"
	"io/fs"
)

// private refuses a file that others than its owner may read or change.
func private(name string, info fs.FileInfo) error {
	if info.Mode().Perm()&0o077 != 0 {
		return fmt.Errorf("%s may be read by others (mode %04o): chmod 600 %s", name, info.Mode().Perm(), name)
	}
	return nil
}
