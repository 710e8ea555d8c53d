package access_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stepgraph/stepgraph/access"
)

func open(t *testing.T, name string) *access.File {
	t.Helper()
	f, err := access.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestTokensAreMadeFoundAndRevoked(t *testing.T) {
	name := filepath.Join(t.TempDir(), "below", "tokens")
	f, server := open(t, name), open(t, name) // another process
	text, made, err := f.Create("desk", []string{access.Read, access.Answer}, 0)
	if err != nil || len(text) < 40 {
		t.Fatal(text, err)
	}
	for _, of := range []*access.File{f, server, open(t, name)} {
		got, err := of.Find(text)
		if err != nil || got == nil || got.Name != made.Name || !got.Allows(access.Answer) || got.Allows(access.Edit) || got.Allows(access.Admin) {
			t.Errorf("found %+v, %v", got, err)
		}
		if got, err := of.Find(text + "x"); got != nil || err != nil {
			t.Errorf("a wrong text finds %+v, %v", got, err)
		}
		if got, err := of.Find(made.Hash); got != nil || err != nil {
			t.Errorf("the hash finds %+v, %v", got, err)
		}
	}
	stored, err := os.ReadFile(name)
	if err != nil || strings.Contains(string(stored), text) {
		t.Errorf("the file holds %s, %v", stored, err)
	}
	info, err := os.Stat(name)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file is %v, %v", info.Mode(), err)
	}
	if _, _, err := server.Create("desk", []string{access.Read}, 0); !errors.Is(err, access.ErrExists) {
		t.Errorf("made twice: %v", err)
	}
	if err := f.Revoke("desk"); err != nil {
		t.Fatal(err)
	}
	if got, err := server.Find(text); got != nil || err != nil {
		t.Errorf("a revoked token finds %+v, %v", got, err)
	}
	if err := f.Revoke("desk"); !errors.Is(err, access.ErrNotFound) {
		t.Errorf("revoked twice: %v", err)
	}
}

func TestTokensEndAndAreRefused(t *testing.T) {
	f := open(t, filepath.Join(t.TempDir(), "tokens"))
	text, _, err := f.Create("short", []string{access.Admin}, time.Nanosecond)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := f.Find(text); got != nil || err != nil {
		t.Errorf("an expired token finds %+v, %v", got, err)
	}
	for what, err := range map[string]error{
		"name":     third(f.Create("a b", []string{access.Read}, 0)),
		"no scope": third(f.Create("a", nil, 0)),
		"scope":    third(f.Create("a", []string{"root"}, 0)),
		"past":     third(f.Create("a", []string{access.Read}, -1)),
	} {
		if !errors.Is(err, access.ErrInvalid) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

func third(_ string, _ access.Token, err error) error { return err }

func TestAFileForAllToReadIsRefused(t *testing.T) {
	name := filepath.Join(t.TempDir(), "tokens")
	if err := os.WriteFile(name, []byte("[]"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := access.Open(name); err == nil || !strings.Contains(err.Error(), "chmod 600") {
		t.Errorf("got %v", err)
	}
}

func TestScopeOf(t *testing.T) {
	for route, want := range map[string]string{"GET /api/v1/sessions": access.Read, "HEAD /x": access.Read, "GET /api/v1/webhook/a": access.Answer,
		"POST /api/v1/sessions": access.Answer, "POST /api/v1/sessions/a/answer": access.Answer, "POST /api/v1/sessions/a/cancel": access.Operate,
		"PUT /api/v1/sessions/a/state": access.Operate, "DELETE /api/v1/sessions/a": access.Operate, "POST /api/v1/batches": access.Operate,
		"PUT /api/v1/workflows/a": access.Edit, "POST /api/v1/workflows/import": access.Edit, "PUT /api/v1/secrets/A": access.Admin,
		"POST /api/v1/surprise": access.Admin, "DELETE /": access.Admin, "GET /api/compat/nebulaflow": access.Edit} {
		method, path, _ := strings.Cut(route, " ")
		if got := access.ScopeOf(method, path); got != want {
			t.Errorf("%s needs %s, want %s", route, got, want)
		}
	}
}
