package storetest

import (
	"strings"

	"github.com/stepgraph/stepgraph/engine/store"
)

var blobCases = []testCase{
	{"kept by hash, dropped by hash", blobKept},
	{"the same hash again, and dropped and added at once", blobAgain},
	{"a copy for another session", blobCopy},
	{"a large one", blobLarge},
}

var resultCases = []testCase{
	{"in index order, of one visit of one step", resultOrder},
	{"one that is there is replaced", resultAgain},
}

func blobKept(k *kit) {
	c := k.checkpoint(k.held("a"))
	c.Blobs = []store.Blob{{Session: k.id("a"), Hash: "one", Text: []byte(`"1"`)}, {Session: k.id("a"), Hash: "two", Text: []byte(`"2"`)}}
	k.commit(c)
	k.equal("blobs", k.blobs("a", "one", "two", "three"), map[string]string{"one": `"1"`, "two": `"2"`})
	k.equal("one of them", k.blobs("a", "two"), map[string]string{"two": `"2"`})
	k.equal("of no hashes", len(k.blobs("a")), 0)
	k.equal("of another session", len(k.blobs("not-there", "one")), 0)
	c = k.checkpoint(k.session("a"))
	c.DropBlobs = []string{"one", "three"}
	k.commit(c)
	k.equal("blobs", k.blobs("a", "one", "two"), map[string]string{"two": `"2"`})
}

func blobAgain(k *kit) {
	c := k.checkpoint(k.held("a"))
	c.Blobs = []store.Blob{{Hash: "one", Text: []byte(`"1"`)}}
	k.commit(c)
	c = k.checkpoint(k.session("a"))
	c.Blobs = []store.Blob{{Hash: "one", Text: []byte(`"1"`)}}
	k.commit(c)
	k.equal("blobs", k.blobs("a", "one"), map[string]string{"one": `"1"`})
	c = k.checkpoint(k.session("a"))
	c.DropBlobs, c.Blobs = []string{"one"}, []store.Blob{{Hash: "one", Text: []byte(`"1"`)}}
	k.commit(c)
	k.equal("blobs", k.blobs("a", "one"), map[string]string{"one": `"1"`})
}

func blobCopy(k *kit) {
	parent := k.atRest("parent")
	other := k.checkpoint(k.held("other"))
	other.Blobs = []store.Blob{{Hash: "one", Text: []byte(`"1"`)}}
	c := k.checkpoint(k.held("child"))
	c.Blobs = []store.Blob{{Session: parent.ID, Hash: "one", Text: []byte(`"1"`)}, {Session: k.id("not-there"), Hash: "one", Text: []byte(`"1"`)}}
	k.commit(c, other)
	k.equal("of the parent", k.blobs("parent", "one"), map[string]string{"one": `"1"`})
	k.equal("of the child", len(k.blobs("child", "one")), 0)
	k.equal("of one that is not there", len(k.blobs("not-there", "one")), 0)
	drop := k.checkpoint(k.session("other"))
	drop.DropBlobs = []string{"one"}
	k.commit(drop)
	k.equal("of the parent still", k.blobs("parent", "one"), map[string]string{"one": `"1"`})
}

func blobLarge(k *kit) {
	text := `"` + strings.Repeat("grüße 🙂 ", 60_000) + `"`
	c := k.checkpoint(k.held("a"))
	c.Blobs = []store.Blob{{Hash: "large", Text: []byte(text)}}
	k.commit(c)
	if got := k.blobs("a", "large")["large"]; got != text {
		k.Errorf("the blob came back with %d bytes, want the same %d", len(got), len(text))
	}
}

func resultOrder(k *kit) {
	a, b := k.checkpoint(k.held("a")), k.checkpoint(k.held("b"))
	for _, i := range []int{10, 2, 0, 1, 9} {
		a.Results = append(a.Results, store.StoredResult{Session: a.Session, Step: "loop", Visit: 1, Index: i, Output: []byte{'"', byte('a' + i), '"'}})
	}
	a.Results = append(a.Results, store.StoredResult{Session: a.Session, Step: "loop", Visit: 2, Index: 0, Output: []byte(`"second"`)},
		store.StoredResult{Session: a.Session, Step: "other", Visit: 1, Index: 0, Output: []byte(`"other"`)})
	b.Results = []store.StoredResult{{Session: b.Session, Step: "loop", Visit: 1, Index: 0, Output: []byte(`"b"`)}}
	k.commit(a, b)
	k.equal("first visit", k.results("a", "loop", 1), []string{`"a"`, `"b"`, `"c"`, `"j"`, `"k"`})
	k.equal("second visit", k.results("a", "loop", 2), []string{`"second"`})
	k.equal("other session", k.results("b", "loop", 1), []string{`"b"`})
	k.equal("none", k.results("a", "nothing", 1), []string{})
}

func resultAgain(k *kit) {
	c := k.checkpoint(k.held("a"))
	c.Results = []store.StoredResult{{Step: "loop", Visit: 1, Index: 0, Output: []byte(`"old"`)}}
	k.commit(c)
	c = k.checkpoint(k.session("a"))
	c.Results = []store.StoredResult{{Step: "loop", Visit: 1, Index: 0, Output: []byte(`"new"`)}}
	k.commit(c)
	k.equal("results", k.results("a", "loop", 1), []string{`"new"`})
}
