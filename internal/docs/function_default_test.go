package docs_test

import "testing"

func TestSplitDefault(t *testing.T) {
	for description, want := range map[string][2]string{
		"GET when absent":                                  {"", "GET"},
		"how long it may take; 30 s when absent":           {"how long it may take", "30 s"},
		"at most 10; none when absent, 1000 at most":       {"at most 10, 1000 at most", "none"},
		"wait before the second, 1 s when absent; doubled": {"wait before the second; doubled", "1 s"},
		"statuses; 408, 425 and 5xx when absent":           {"statuses", "408, 425 and 5xx"},
		"list (the default), or first":                     {"list (the default), or first", "list"},
		"how it reads: its response or text when absent":   {"how it reads: its response or text when absent", ""},
		"mock or rest; when absent, what url suggests":     {"mock or rest; when absent, what url suggests", ""},
		"the class": {"the class", ""},
	} {
		meaning, otherwise := splitDefault(description)
		if meaning != want[0] || otherwise != want[1] {
			t.Errorf("%q gives %q and %q", description, meaning, otherwise)
		}
	}
}
