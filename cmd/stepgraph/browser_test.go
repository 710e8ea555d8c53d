package main

import "testing"

func TestBrowserOf(t *testing.T) {
	for store, want := range map[string]string{
		"neo4j://db.example:7687/neo4j": "http://db.example:7474/browser/",
		"bolt://[::1]:7687":             "http://[::1]:7474/browser/",
		"neo4j+s://x.example":           "https://x.example:7473/browser/",
		"sqlite:.stepgraph/a.db":        "",
		"memory":                        "",
	} {
		if got := browserOf(store); got != want {
			t.Errorf("%s: %q, want %q", store, got, want)
		}
	}
}
