package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestGeneratedClients makes clients of the API's document with the two generators that are
// used most, and runs a program with each against a server with a token. A warning of a
// generator, a compiler or the interpreter is an error: it stands for a call that the
// generator has left out or typed wrongly.
func TestGeneratedClients(t *testing.T) {
	token := strings.Repeat("k", 40)
	dev := serveHere(t, nil, "dev", "--addr", "127.0.0.1:0", "--dir", t.TempDir(), "--token", token, "-o", "json")
	flow, err := filepath.Abs("testdata/clients/flow.json")
	if err != nil {
		t.Fatal(err)
	}
	text := bytesOf(t, dev.address+"/openapi.json", "Bearer "+token)

	t.Run("Python", func(t *testing.T) {
		bin := filepath.Join(installed(t, "python", func(dir string) [][]string {
			return [][]string{
				{"python3", "-m", "venv", dir},
				{filepath.Join(dir, "bin", "pip"), "install", "--quiet", "--disable-pip-version-check", "--no-input", "-r", "requirements.txt"},
			}
		}, "requirements.txt"), "bin")
		work := workFolder(t, "python", text)
		made := quiet(t, work, []string{"PATH=" + bin + ":" + os.Getenv("PATH")}, // it formats with ruff, which is beside it
			filepath.Join(bin, "openapi-python-client"), "generate", "--path", "openapi.json", "--meta", "none", "--output-path", "made", "--fail-on-warning")
		if strings.Contains(strings.ToLower(made), "warning") {
			t.Errorf("openapi-python-client warns: %s", made)
		}
		t.Log(quiet(t, work, nil, filepath.Join(bin, "python"), "-B", "client.py", dev.address, token, flow))
	})

	t.Run("TypeScript", func(t *testing.T) {
		packages := installed(t, "typescript", func(string) [][]string {
			return [][]string{{"npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline"}}
		}, "package.json", "package-lock.json")
		work := workFolder(t, "typescript", text)
		if err := os.Symlink(filepath.Join(packages, "node_modules"), filepath.Join(work, "node_modules")); err != nil {
			t.Fatal(err)
		}
		made := quiet(t, work, nil, "node", "node_modules/openapi-typescript/bin/cli.js", "openapi.json", "-o", "made.ts")
		if strings.Contains(strings.ToLower(made), "warn") {
			t.Errorf("openapi-typescript warns: %s", made)
		}
		quiet(t, work, nil, "node", "node_modules/typescript/bin/tsc", "-p", ".")
		t.Log(quiet(t, work, nil, "node", "client.js", dev.address, token, flow))
	})
}

func bytesOf(t *testing.T, address, authorization string) string {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", authorization)
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s %v %s", address, response.Status, err, text)
	}
	return string(text)
}

// workFolder is a copy of one client's files, beside the API's document.
func workFolder(t *testing.T, language, document string) string {
	t.Helper()
	work := t.TempDir()
	if err := os.CopyFS(work, os.DirFS(filepath.Join("testdata", "clients", language))); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(work, "openapi.json"), []byte(document), 0o600); err != nil {
		t.Fatal(err)
	}
	return work
}

// installed is a folder with what a client needs, made once for each version of the files
// that name it and kept in the user's cache. The commands run beside those files.
func installed(t *testing.T, language string, commands func(dir string) [][]string, files ...string) string {
	t.Helper()
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.New()
	for _, name := range files {
		text, err := os.ReadFile(filepath.Join("testdata", "clients", language, name))
		if err != nil {
			t.Fatal(err)
		}
		sum.Write(text)
	}
	dir := filepath.Join(cache, "stepgraph", "test-clients", language+"-"+hex.EncodeToString(sum.Sum(nil)[:8]))
	ready := filepath.Join(dir, "ready")
	if _, err := os.Stat(ready); err == nil {
		return dir
	}
	if err := os.RemoveAll(dir); err != nil { // an earlier test stopped half way
		t.Fatal(err)
	}
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("testdata", "clients", language))); err != nil {
		t.Fatal(err)
	}
	for _, command := range commands(dir) {
		if _, err := exec.LookPath(command[0]); err != nil {
			t.Fatalf("%s is missing: generated clients are built and run (Python 3.11 with python3-venv, Node 20 with npm)", command[0])
		}
		quiet(t, dir, nil, command...)
	}
	if err := os.WriteFile(ready, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

// quiet runs a command, which must succeed, and gives what it said.
func quiet(t *testing.T, dir string, env []string, command ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute)
	defer cancel()
	c := exec.CommandContext(ctx, command[0], command[1:]...)
	c.Dir = dir
	c.Env = append(os.Environ(), env...)
	text, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", strings.Join(command, " "), err, text)
	}
	return string(text)
}
