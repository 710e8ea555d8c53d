package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// Mistakes are told in the order of the file, all of them, with line and column, and keep a
// file from being loaded unless that is forced.
func TestMistakesAreToldBeforeTheyRun(t *testing.T) {
	folder := t.TempDir()
	file := write(t, filepath.Join(folder, "flow.json"), `{"format": "stepgraph", "version": 1,
 "steps": [
  {"id": "root", "function": "request", "input": {"promt": "Colour?", "schema": {"type": "integr"}}},
  {"id": "red", "function": "reply", "input": {"message": "Hi @{SESSION_ID.root.response}"}}, {"id": "blue", "function": "replay"}],
 "paths": [
  {"source": "root", "target": "red", "condition": "@{SESSION_ID}.root.response == 'red'"},
  {"source": "root", "target": "blue", "condition": "when @{SESSION_ID}.root.respons != 'red'"}]}`)
	wants := []string{
		file + ":3:3: error: step root: schema: ",
		file + `:3:3: warning: step root: input has a field "promt", which utils.request.request does not know: did you mean "prompt"? (unknown_input)`,
		file + ":4:3: error: step red: ",
		file + `:4:95: error: step blue: function "replay" is not known`,
		file + ":6:3: error: path root>red: condition",
		"to compare, write: when @{SESSION_ID}.root.response == 'red' (always_true)",
		file + ":7:3: warning: path root>blue: ", `did you mean "response"?`,
	}
	inOrder := func(where, text string, wants []string) {
		t.Helper()
		rest := text
		for _, want := range wants {
			_, after, found := strings.Cut(rest, want)
			if !found {
				t.Errorf("%s: %q is missing or out of order in\n%s", where, want, text)
				return
			}
			rest = after
		}
	}
	validated := invoke(t, "", nil, "validate", file)
	inOrder("validate", validated.out, wants)
	store := "sqlite:" + filepath.Join(folder, "store.db")
	refused := invoke(t, "", nil, "load", "--store", store, file)
	if refused.code != exitFailed || refused.out != "" || !strings.Contains(refused.err, "nothing was loaded") {
		t.Errorf("load: exit %d, %s%s", refused.code, refused.out, refused.err)
	}
	inOrder("load", refused.err, []string{wants[0], wants[2], wants[3], wants[4], wants[5]})
	if listed := invoke(t, "", nil, "list", "--store", store); strings.Contains(listed.out, "flow") {
		t.Errorf("the refused file is stored: %s", listed.out)
	}
	forced := invoke(t, "", nil, "load", "--force", "--store", store, file)
	if forced.code != exitOK || !strings.Contains(forced.out, "3 added") {
		t.Errorf("load --force: exit %d, %s%s", forced.code, forced.out, forced.err)
	}
	inOrder("load --force", forced.err, wants)
}
