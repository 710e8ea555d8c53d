package near

import "testing"

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"", "ab", 2}, {"user", "user", 0}, {"uesr", "user", 1}, {"promt", "prompt", 1}, {"prommpt", "prompt", 1},
		{"limit", "lmiti", 2}, {"abc", "cab", 2}, {"schema", "shcmea", 2}, {"colour", "wait", 6},
	} {
		if got := Distance(c.a, c.b, 9); got != c.want || Distance(c.b, c.a, 9) != got {
			t.Errorf("%q, %q: %d, want %d", c.a, c.b, got, c.want)
		}
	}
}

func TestNames(t *testing.T) {
	if got := Names("mdoel", []string{"model", "mode", "memory"}, 2); len(got) == 0 || got[0] != "model" {
		t.Error(got)
	}
}
