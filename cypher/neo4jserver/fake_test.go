//go:build unix

package neo4jserver

import (
	"os"
	"path/filepath"
	"testing"
)

// fakeTools makes $PATH hold these shell scripts, by name, and the system's
// own tools, and gives a cache of its own. Whatever the machine has, a test
// then sees only the java, mvn and docker that it names.
func fakeTools(t *testing.T, scripts map[string]string) (cache string) {
	t.Helper()
	bin := t.TempDir()
	for _, tool := range []string{"cat", "mkdir", "sleep"} {
		for _, dir := range []string{"/bin", "/usr/bin"} {
			if _, err := os.Stat(filepath.Join(dir, tool)); err == nil {
				if err := os.Symlink(filepath.Join(dir, tool), filepath.Join(bin, tool)); err != nil {
					t.Fatal(err)
				}
				break
			}
		}
	}
	for name, script := range scripts {
		if err := os.WriteFile(filepath.Join(bin, name), []byte("#!/bin/sh\n"+script+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	cache = t.TempDir()
	t.Setenv("PATH", bin)
	t.Setenv("JAVA_HOME", "")
	t.Setenv("TMPDIR", t.TempDir())
	t.Setenv(envCache, cache)
	t.Setenv(envURI, "")
	return cache
}

// fakeJava is Java 17 as far as "-version" goes, and otherwise runs the script.
func fakeJava(script string) string {
	return `if [ "$1" = -version ]; then echo 'openjdk version "17.0.1" 2021-10-19' >&2; exit 0; fi
` + script
}

// fakeMaven fetches one jar and notes each call in $NOTES.
const fakeMaven = `echo "$@" >> "$NOTES"; mkdir lib && echo jar > lib/neo4j.jar`

// putArtifacts fills the cache as a fetch would.
func putArtifacts(t *testing.T, cache string) {
	t.Helper()
	folder := filepath.Join(cache, "neo4j-"+Version)
	if err := os.MkdirAll(filepath.Join(folder, "lib"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "pom.xml"), pom, 0o644); err != nil {
		t.Fatal(err)
	}
}
