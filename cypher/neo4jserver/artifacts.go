package neo4jserver

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// envCache names the directory that holds the folder of artifacts, instead of
// stepgraph in the user's cache directory.
const envCache = "STEPGRAPH_CACHE"

// fetchWithin limits one fetch. About 300 MB pass the wire when Maven's own
// repository is empty, in under a minute on a good line.
const fetchWithin = 15 * time.Minute

const fetchPattern = "fetch-*"

//go:embed pom.xml
var pom []byte

func cacheDir() (string, error) {
	if dir := os.Getenv(envCache); dir != "" {
		return filepath.Abs(dir)
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("%w: set %s to a directory", err, envCache)
	}
	return filepath.Join(dir, "stepgraph"), nil
}

// fetch gives the folder of artifacts. It appears under its name by a rename
// when it is complete, so a folder that is there can be used, whatever dies in
// between. The lock lets a second process wait instead of fetching the same;
// Maven's own repository does not bear two writers either.
func fetch(ctx context.Context, log *slog.Logger) (string, error) {
	cache, err := cacheDir()
	if err != nil {
		return "", fmt.Errorf("neo4j artifacts: %w", err)
	}
	folder := filepath.Join(cache, "neo4j-"+Version)
	if isComplete(folder) {
		return folder, nil
	}
	if err := os.MkdirAll(cache, 0o755); err != nil {
		return "", fmt.Errorf("neo4j artifacts: %w: set %s to a directory that can be written", err, envCache)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, fetchWithin, fmt.Errorf("not there within %s", fetchWithin))
	defer cancel()
	lock, err := awaitLock(ctx, filepath.Join(cache, "neo4j.lock"), func() {
		log.Info("another process fetches neo4j, waiting for it", "folder", folder)
	})
	if err != nil {
		return "", fmt.Errorf("neo4j artifacts: %w", err)
	}
	defer lock.Close()
	if isComplete(folder) {
		return folder, nil
	}
	if err := fill(ctx, cache, folder, log); err != nil {
		return "", fmt.Errorf("neo4j artifacts: %w", err)
	}
	return folder, nil
}

// isComplete says whether the folder holds what today's pom.xml names.
func isComplete(folder string) bool {
	fetched, err := os.ReadFile(filepath.Join(folder, "pom.xml"))
	return err == nil && bytes.Equal(fetched, pom)
}

// fill fetches into a folder beside the final one and renames it. The caller
// holds the lock, so folders of earlier attempts are unused.
func fill(ctx context.Context, cache, folder string, log *slog.Logger) error {
	if locksWork {
		removeAll(filepath.Join(cache, fetchPattern))
	}
	temporary, err := os.MkdirTemp(cache, fetchPattern)
	if err != nil {
		return err
	}
	defer os.RemoveAll(temporary)
	if err := os.WriteFile(filepath.Join(temporary, "pom.xml"), pom, 0o644); err != nil {
		return err
	}
	log.Info("fetching neo4j with maven, once", "version", Version, "folder", folder)
	began := time.Now()
	if err := runMaven(ctx, temporary); err != nil {
		return err
	}
	if err := replace(temporary, folder); err != nil {
		return err
	}
	log.Info("fetched neo4j", "folder", folder, "took", time.Since(began).Round(time.Millisecond))
	return nil
}

// replace renames temporary to folder. A folder of an older pom.xml is moved
// away first. When another process was faster, its folder stays.
func replace(temporary, folder string) error {
	if err := os.Chmod(temporary, 0o755); err != nil {
		return err
	}
	if _, err := os.Stat(folder); err == nil && !isComplete(folder) {
		old := temporary + "-old"
		if err := os.Rename(folder, old); err != nil {
			return err
		}
		defer os.RemoveAll(old)
	}
	if err := os.Rename(temporary, folder); err != nil && !isComplete(folder) {
		return err
	}
	return nil
}

// runMaven copies the artifacts that dir's pom.xml names into dir/lib, each
// checked against its checksum.
func runMaven(ctx context.Context, dir string) error {
	maven, err := exec.LookPath("mvn")
	if err != nil {
		return fmt.Errorf("mvn is %w (%w): install Maven (Debian: maven), start Docker, or set %s", errMissing, err, envURI)
	}
	command := exec.CommandContext(ctx, maven, "-q", "-B", "--strict-checksums",
		"dependency:copy-dependencies", "-DincludeScope=runtime", "-DoutputDirectory=lib")
	command.Dir = dir
	printed, err := command.CombinedOutput()
	if cause := context.Cause(ctx); cause != nil {
		err = errors.Join(err, cause)
	}
	if err != nil {
		return fmt.Errorf("mvn dependency:copy-dependencies: %w: check the network and Maven's settings, or set %s; it printed:\n%s",
			err, envURI, lastLines(printed))
	}
	return nil
}

func removeAll(pattern string) {
	names, _ := filepath.Glob(pattern)
	for _, name := range names {
		os.RemoveAll(name)
	}
}
