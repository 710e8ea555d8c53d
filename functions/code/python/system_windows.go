package python

import "os"

// system returns the environment of a script: the variables without which Windows cannot start
// an interpreter, and the folder for temporary files.
func system(dir string) []string {
	return []string{"SYSTEMROOT=" + os.Getenv("SYSTEMROOT"), "TEMP=" + dir, "TMP=" + dir}
}
