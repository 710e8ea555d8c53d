package api

import (
	"regexp"
	"strings"
	"testing"
)

// TestPageKeepsToItsPolicy: the policy lets in exactly the file's own script and style, and
// the file needs nothing else.
func TestPageKeepsToItsPolicy(t *testing.T) {
	w := newWorld(t, Options{})
	got := w.do("GET", "/", nil).want(200)
	policy := got.header.Get("Content-Security-Policy")
	if got.header.Get("Content-Type") != "text/html; charset=utf-8" || got.text != page {
		t.Errorf("%v", got.header)
	}
	for _, part := range []string{"default-src 'none'", "connect-src 'self'", "script-src 'sha256-", "style-src 'sha256-", "frame-ancestors 'none'", "base-uri 'none'", "form-action 'none'"} {
		if !strings.Contains(policy, part) {
			t.Errorf("policy lacks %s: %s", part, policy)
		}
	}
	if strings.Contains(policy, "unsafe") {
		t.Errorf("policy %s", policy)
	}
	for name, pattern := range map[string]string{
		"more than one script":  `(?s)<script.*<script`,
		"more than one style":   `(?s)<style.*<style`,
		"a style in a tag":      `<[^>]+ style=`,
		"a handler in a tag":    `<[^>]+ on[a-z]+=`,
		"something from abroad": `(src|href)="?(https?:)?//`,
		"HTML made of text":     `innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(`,
	} {
		if found := regexp.MustCompile(pattern).FindString(page); found != "" {
			t.Errorf("the page has %s: %.80s", name, found)
		}
	}
}

// TestPageAnswersEveryKind: the page has something that answers each kind of question, and
// answers one of a child session there.
func TestPageAnswersEveryKind(t *testing.T) {
	for _, part := range []string{"events?audience=person", "q.kind === 'confirm'", "q.kind === 'select'", "q.kind === 'approval'", "q.kind === 'signal'", "q.session || session.id", "'/signal'"} {
		if !strings.Contains(page, part) {
			t.Errorf("the page lacks %s", part)
		}
	}
}
