package python

import "os"

// system is the environment of a script: what Windows cannot start an interpreter without,
// and where temporary files go.
func system(dir string) []string {
	return []string{"SYSTEMROOT=" + os.Getenv("SYSTEMROOT"), "TEMP=" + dir, "TMP=" + dir}
}
