//go:build !unix

package access

import "io/fs"

// private knows no modes here: the folder's access list decides.
func private(string, fs.FileInfo) error { return nil }
