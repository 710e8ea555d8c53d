//go:build !windows

package python

// system returns the environment of a script: only the folder for temporary files.
func system(dir string) []string { return []string{"TMPDIR=" + dir, "HOME=" + dir} }
