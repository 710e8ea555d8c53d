package engine_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/enginetest"
	"github.com/stepgraph/stepgraph/memory"
)

// TestBlobsGoWithTheWindow plays a loop whose large output differs in each round: of the
// BLOBs only those stay that a kept output names.
func TestBlobsGoWithTheWindow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := memory.New(memory.Options{})
		w := &engine.Workflow{ID: "W", Steps: []engine.Step{
			{ID: "root", Function: "ask", Input: `{"prompt": "?"}`},
			{ID: "big", Function: "big", Input: `{"n": 70000, "text": "@{SESSION_ID}.root.response", "context_limit": 2}`},
		}, Paths: []engine.Path{{Kind: engine.Next, Source: "root", Target: "big"}, {Kind: engine.Next, Source: "big", Target: "root"}}}
		var answers []enginetest.Answer
		for _, letter := range []string{"a", "b", "c", "b", "b"} {
			answers = append(answers, enginetest.Say(letter))
		}
		result := enginetest.Play(t, enginetest.Game{Workflow: w, Registry: newFakes().registry(), Store: store, Answers: answers})
		result.WantStatus(engine.StatusAwaitingInput)

		var hashes []string
		for _, output := range result.State.Outputs("big") {
			var blob struct {
				Hash  string `json:"@blob"`
				Bytes int    `json:"bytes"`
			}
			if err := json.Unmarshal(output, &blob); err != nil || blob.Bytes != len(`{"text":""}`)+70000 {
				t.Fatalf("kept output %s, want a BLOB", output)
			}
			hashes = append(hashes, blob.Hash)
		}
		if len(hashes) != 2 || hashes[0] != hashes[1] {
			t.Fatalf("kept outputs name %v, want the same BLOB twice", hashes)
		}
		all := blobsEver(t, w, store, result)
		if !slices.Equal(all, hashes[:1]) {
			t.Errorf("the store keeps BLOBs %v, want %v", all, hashes[:1])
		}
		for _, x := range result.Executions {
			if x.Step == "big" && (len(x.Output) > 20_000 || !strings.Contains(string(x.Output), `"cut":true`)) {
				t.Errorf("execution %d keeps %d bytes of its output", x.Seq, len(x.Output))
			}
		}
	})
}

// blobsEver asks for the BLOB of every output there ever was and returns those that are
// still there.
func blobsEver(t *testing.T, w *engine.Workflow, store engine.Store, result *enginetest.Result) []string {
	t.Helper()
	var hashes []string
	for _, x := range result.Executions {
		var cut struct {
			Hash string `json:"hash"`
		}
		if x.Step == "big" {
			if err := json.Unmarshal(x.Output, &cut); err != nil {
				t.Fatal(fmt.Errorf("execution %d of %s: %w", x.Seq, w.ID, err))
			}
			hashes = append(hashes, cut.Hash)
		}
	}
	found, err := store.Blobs(t.Context(), result.Session.ID, hashes)
	if err != nil {
		t.Fatal(err)
	}
	return slices.Sorted(maps.Keys(found))
}
