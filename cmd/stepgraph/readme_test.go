package main

import (
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// A curlLine is a call as the README shows it.
var curlLine = regexp.MustCompile(`(?m)^curl -s '(http://127\.0\.0\.1:7766[^']*)'(?: -H '(Content-Type): ([^']*)' -d '([^']*)')?$`)

// TestReadme pastes the README's calls, in order, into a fresh dev.
func TestReadme(t *testing.T) {
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	calls := curlLine.FindAllStringSubmatch(string(text), -1)
	if len(calls) != strings.Count(string(text), "curl ") || len(calls) < 4 {
		t.Fatalf("the README has %d calls that this test reads", len(calls))
	}
	dev := serveHere(t, nil, "dev", "--addr", "127.0.0.1:0", "--dir", filepath.Join(t.TempDir(), "dev"), "-o", "json")
	wants := []string{`"awaiting_input"`, `Hello! What would you like to talk about?`, `A graph keeps what is connected connected`, `A graph keeps what is connected connected`}
	for i, call := range calls {
		got := paste(t, strings.Replace(call[1], "http://127.0.0.1:7766", dev.address, 1), call[3], call[4])
		if i < len(wants) && !strings.Contains(got, wants[i]) {
			t.Errorf("%s\nanswers %s\nwant %s in it", call[0], got, wants[i])
		}
	}
}

func paste(t *testing.T, address, contentType, body string) string {
	t.Helper()
	send := func() (*http.Response, error) { return http.Get(address) }
	if body != "" {
		send = func() (*http.Response, error) { return http.Post(address, contentType, strings.NewReader(body)) }
	}
	response, err := send()
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	if response.StatusCode/100 != 2 {
		t.Fatalf("%s answers %s: %s", address, response.Status, text)
	}
	return string(text)
}
