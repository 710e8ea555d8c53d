//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package neo4jserver

import "os"

// locksWork says that a lock that can be taken proves that no process holds it.
const locksWork = false

// lockFile grants every lock: two processes may then fetch the same artifacts,
// of which the rename keeps the first.
func lockFile(*os.File) error { return nil }
