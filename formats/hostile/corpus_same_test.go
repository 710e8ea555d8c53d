package hostile

import (
	"bytes"
	"strings"
	"testing"
)

// TestFilesAreTheSame: a file that breaks something is found again by its name, on any machine.
// Only the recorded cases, which are not there everywhere, have files of their own.
func TestFilesAreTheSame(t *testing.T) {
	one, err := corpus()
	if err != nil {
		t.Fatal(err)
	}
	other, err := corpus()
	if err != nil {
		t.Fatal(err)
	}
	if len(one) != len(other) {
		t.Fatalf("there are %d files, and the second time %d", len(one), len(other))
	}
	names := map[string]bool{}
	for i, f := range one {
		if f.name != other[i].name {
			t.Fatalf("file %d is %s, and the second time %s", i, f.name, other[i].name)
		}
		if names[f.name] {
			t.Errorf("two files are called %s", f.name)
		}
		names[f.name] = true
		if !strings.HasPrefix(f.name, "class/shape") && !bytes.Equal(f.text(), other[i].text()) {
			t.Errorf("%s is not the same the second time", f.name)
		}
	}
}
