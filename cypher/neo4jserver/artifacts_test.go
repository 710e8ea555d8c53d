//go:build unix

package neo4jserver

import (
	"bytes"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestPomNamesTheVersions(t *testing.T) {
	for name, version := range map[string]string{"neo4j": Version, "browser": BrowserVersion} {
		line := "<" + name + ".version>" + version + "</" + name + ".version>"
		if !bytes.Contains(pom, []byte(line)) {
			t.Errorf("pom.xml lacks %s", line)
		}
	}
}

// Many may want the artifacts at once: Maven runs once and all get the same
// complete folder. What a killed fetch left behind goes away.
func TestFetchRunsMavenOnceForAll(t *testing.T) {
	cache := fakeTools(t, map[string]string{"mvn": fakeMaven})
	notes := filepath.Join(t.TempDir(), "notes")
	t.Setenv("NOTES", notes)
	left := filepath.Join(cache, "fetch-left")
	if err := os.MkdirAll(filepath.Join(left, "lib"), 0o755); err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for range 6 {
		all.Go(func() {
			folder, err := fetch(t.Context(), slog.New(slog.DiscardHandler))
			if err != nil {
				t.Error(err)
				return
			}
			if _, err := os.Stat(filepath.Join(folder, "lib", "neo4j.jar")); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	calls, err := os.ReadFile(notes)
	if err != nil {
		t.Fatal(err)
	}
	if n := bytes.Count(calls, []byte("\n")); n != 1 {
		t.Errorf("maven ran %d times:\n%s", n, calls)
	}
	if names, _ := filepath.Glob(filepath.Join(cache, fetchPattern)); len(names) > 0 {
		t.Errorf("left in the cache: %v", names)
	}
}

// A folder fetched for another pom.xml is replaced, a matching one is used
// without Maven.
func TestFetchReplacesWhatIsOutdated(t *testing.T) {
	cache := fakeTools(t, map[string]string{"mvn": fakeMaven})
	t.Setenv("NOTES", os.DevNull)
	putArtifacts(t, cache)
	folder, err := fetch(t.Context(), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	jar := filepath.Join(folder, "lib", "neo4j.jar")
	if _, err := os.Stat(jar); err == nil {
		t.Fatal("maven ran although the folder was complete")
	}
	if err := os.WriteFile(filepath.Join(folder, "pom.xml"), []byte("older"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := fetch(t.Context(), slog.New(slog.DiscardHandler)); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(jar); err != nil {
		t.Fatal(err)
	}
}

func TestFetchErrorsSayWhatToDo(t *testing.T) {
	for name, c := range map[string]struct {
		scripts map[string]string
		want    []string
	}{
		"no maven":    {nil, []string{"mvn is not installed", "install Maven", "NEO4J_URI"}},
		"maven fails": {map[string]string{"mvn": "echo no route to host; exit 1"}, []string{"exit status 1", "no route to host", "check the network"}},
	} {
		t.Run(name, func(t *testing.T) {
			cache := fakeTools(t, c.scripts)
			_, err := fetch(t.Context(), slog.New(slog.DiscardHandler))
			wantError(t, err, c.want...)
			if _, err := os.Stat(filepath.Join(cache, "neo4j-"+Version)); err == nil {
				t.Error("a fetch without result left a finished folder")
			}
		})
	}
}

func TestLeftHomesAreRemovedUnlessHeld(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	held, err := openHome("")
	if err != nil {
		t.Fatal(err)
	}
	left, err := openHome("")
	if err != nil {
		t.Fatal(err)
	}
	if err := left.leave(); err != nil {
		t.Fatal(err)
	}
	removeLeftHomes(os.TempDir(), time.Now().Add(-time.Hour))
	if _, err := os.Stat(left.dir); err != nil {
		t.Errorf("a young home was removed: %v", err)
	}
	removeLeftHomes(os.TempDir(), time.Now().Add(time.Hour))
	if _, err := os.Stat(left.dir); err == nil {
		t.Error("a home that nobody holds was kept")
	}
	if _, err := os.Stat(held.path("conf")); err != nil {
		t.Errorf("a home in use was removed: %v", err)
	}
	if err := held.close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(held.dir); err == nil {
		t.Error("a temporary home was kept by close")
	}
}

func wantError(t *testing.T, err error, parts ...string) {
	t.Helper()
	if err == nil {
		t.Fatal("no error")
	}
	for _, part := range parts {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("error lacks %q:\n%v", part, err)
		}
	}
}
