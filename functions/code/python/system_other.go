//go:build !windows

package python

// system is the environment of a script: nothing, but where temporary files go.
func system(dir string) []string { return []string{"TMPDIR=" + dir, "HOME=" + dir} }
