//go:build unix

package privatefile

import (
	"fmt"
	"io/fs"
)

func checkMode(name string, info fs.FileInfo) error {
	if info.Mode().Perm()&0o077 != 0 {
		return fmt.Errorf("%s may be read by others (mode %04o): chmod 600 %s", name, info.Mode().Perm(), name)
	}
	return nil
}
