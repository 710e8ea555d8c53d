package main

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestDevHasATokenOfItsOwn: whoever is on the machine may look and answer; what changes
// workflows or sessions takes the token of the folder, which commands there send by
// themselves and a page gets by a link that works once.
func TestDevHasATokenOfItsOwn(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "dev")
	dev := serveHere(t, nil, "dev", "--addr", "127.0.0.1:0", "--dir", dir, "-o", "json")
	info, err := os.Stat(filepath.Join(dir, "token"))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("the token: %v, %v", info, err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "token"))
	if err != nil {
		t.Fatal(err)
	}
	token := strings.TrimSpace(string(text))
	code := `{"steps":[{"id":"root","function":"shell","input":{"command":"id"}}],"paths":[]}`
	send := func(method, path, body, token string) (int, http.Header) {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), method, dev.address+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/json")
		if token != "" {
			r.Header.Set("Authorization", "Bearer "+token)
		}
		client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
		response, err := client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		return response.StatusCode, response.Header
	}
	for _, c := range []struct {
		method, path, body, token string
		want                      int
	}{
		{"GET", "/api/v1/workflows", "", "", 200},
		{"POST", "/api/v1/sessions", `{"workflow":"hello","id":"h1"}`, "", 201},
		{"PUT", "/api/v1/workflows/evil?force=true", code, "", 401},
		{"PUT", "/api/v1/workflows/evil?force=true", code, "sg_dev_guessed", 401},
		{"POST", "/api/v1/sessions/h1/cancel", "{}", "", 401},
		{"PUT", "/api/v1/secrets/S", `{"value":"x","hosts":["*"]}`, "", 401},
		{"GET", "/api/compat/nebulaflow", "", "", 401},
		{"PUT", "/api/v1/workflows/mine?force=true", code, token, 201},
	} {
		if got, _ := send(c.method, c.path, c.body, c.token); got != c.want {
			t.Errorf("%s %s with %q: %d, want %d", c.method, c.path, c.token, got, c.want)
		}
	}
	// Commands in the folder have the token by themselves, and no other server gets it.
	file := write(t, filepath.Join(t.TempDir(), "w.cypher"), "CREATE (:STEP {id: 'root'});")
	if got := invoke(t, "", nil, "load", file, "--dir", dir); got.code != 0 {
		t.Errorf("load: exit %d: %s", got.code, got.err)
	}
	if got := invoke(t, "", nil, "load", file, "--dir", t.TempDir(), "--server", dev.address); got.code == 0 || !strings.Contains(strings.ToLower(got.err), "token") {
		t.Errorf("load from elsewhere: exit %d: %s", got.code, got.err)
	}
	var ready struct {
		SignIn string `json:"sign_in"`
	}
	if err := json.Unmarshal([]byte(dev.out), &ready); err != nil || !strings.HasPrefix(ready.SignIn, dev.address+"/sign-in/") {
		t.Fatalf("%s: %v", dev.out, err)
	}
	path := strings.TrimPrefix(ready.SignIn, dev.address)
	if got, header := send("GET", path, "", ""); got != http.StatusSeeOther || header.Get("Location") != "../#token="+token {
		t.Errorf("the link: %d %v", got, header)
	}
	if got, header := send("GET", path, "", ""); got != http.StatusUnauthorized || header.Get("Location") != "" {
		t.Errorf("the link, a second time: %d %v", got, header)
	}
	if !strings.Contains(dev.talk.String(), "/sign-in/") {
		t.Errorf("no further link is shown: %s", dev.talk)
	}
}

func TestDevOpen(t *testing.T) {
	dev := serveHere(t, nil, "dev", "--open", "--addr", "127.0.0.1:0", "--dir", filepath.Join(t.TempDir(), "dev"), "-o", "json")
	r, err := http.NewRequestWithContext(t.Context(), http.MethodDelete, dev.address+"/api/v1/workflows/hello", nil)
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	if response.StatusCode/100 != 2 {
		t.Errorf("an edit without a token: %s", response.Status)
	}
}
