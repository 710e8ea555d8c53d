package references_test

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stepgraph/stepgraph/references"
)

// processorTime is what this thread has computed so far. Unlike the clock on
// the wall it does not grow while other processes run.
func processorTime(t *testing.T) time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_THREAD, &usage); err != nil {
		t.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// TestHostileTextsAreLinear works on texts of 32 KB and of 256 KB. Linear work
// grows 8 times, quadratic work 64 times; the bound lies far from both.
func TestHostileTextsAreLinear(t *testing.T) { linear(t, hostile, work) }

func linear(t *testing.T, hostile map[string]func(n int) string, work func(*testing.T, string)) {
	const small, factor, bound = 32 << 10, 8, 28
	const tick = 5 * time.Millisecond
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	for name, text := range hostile {
		t.Run(name, func(t *testing.T) {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			measure := func(n int) time.Duration {
				whole := text(n)
				best := time.Hour
				for range 3 {
					runtime.GC()
					start := processorTime(t)
					work(t, whole)
					best = min(best, processorTime(t)-start)
				}
				return best
			}
			a, b := measure(small), measure(factor*small)
			// Some kernels count in ticks, so a few milliseconds may read as none.
			if ratio := float64(b) / float64(max(a, tick)); ratio > bound {
				t.Errorf("%d bytes take %v, %d bytes %v: %.0f times as long", small, max(a, tick), factor*small, b, ratio)
			}
		})
	}
}

func repeated(text string) func(n int) string {
	return func(n int) string { return strings.Repeat(text, n/len(text)+1) }
}

var hostile = map[string]func(n int) string{
	"chain":             repeated("@{SESSION_ID}.a|"),
	"chain that fails":  func(n int) string { return repeated("@{SESSION_ID}.a|")(n) + "@{SESSION_ID}.b" },
	"distinct missing":  distinctReferences,
	"defaults":          repeated("@{SESSION_ID}.a|x"),
	"template chain":    func(n int) string { return "v " + repeated("@{SESSION_ID}.a|")(n) },
	"openings":          repeated("@{"),
	"unclosed ids":      repeated("@{SESSION_ID"),
	"brackets":          func(n int) string { return "@{SESSION_ID}.a" + repeated("[")(n) },
	"bracket openings":  func(n int) string { return "@{SESSION_ID}.a" + repeated("[@{")(n) },
	"malformed":         repeated("@{SESSION_ID}.a[x]y[ "),
	"long index":        func(n int) string { return "@{SESSION_ID}.a[" + repeated("9")(n) + "]" },
	"long path":         func(n int) string { return "@{SESSION_ID}.a" + repeated(".a[0]")(n) },
	"long name":         func(n int) string { return "@{SESSION_ID}." + repeated("é")(n) },
	"pipes":             func(n int) string { return "@{SESSION_ID}.a" + repeated("|")(n) },
	"punctuation":       repeated("@{SESSION_ID}.a|..........."),
	"escapes":           repeated("\"\\\n\x00@"),
	"identifiers":       func(n int) string { return "@{SESSION_ID}.a|" + repeated("ref_ ref__ ")(n) },
	"present":           repeated("@{SESSION_ID}.s.text "),
	"no utf-8":          repeated("\xff@{SESSION_ID}.a|\xfe"),
	"blanks":            func(n int) string { return "@{SESSION_ID}.a" + repeated(" ")(n) + "|" + repeated(" ")(n) },
	"closing after ref": func(n int) string { return "@{SESSION_ID}.a|" + repeated("....@{SESSION_ID}.b|)")(n) },
}

func distinctReferences(n int) string {
	var b strings.Builder
	for i := 0; b.Len() < n; i++ {
		fmt.Fprintf(&b, "@{SESSION_ID}.a%d ", i)
	}
	return b.String()
}

// work does with a text everything that can be done with one.
func work(t *testing.T, text string) {
	scope := references.Scope{Session: "sess", Outputs: references.JSONOutputs(`{"s":[{"text":"\ud83d\ude00\n"}]}`)}
	template := references.Parse(text)
	template.References()
	if _, err := template.Resolve(scope); err != nil {
		t.Fatal(err)
	}
	references.Bind(text, func(i int) string { return fmt.Sprint(i) })
	quoted, err := references.Parse(strings.ReplaceAll(text, "@{", "@ {")).Resolve(scope)
	if err != nil {
		t.Fatal(err)
	}
	in, err := references.ParseInput([]byte(`{"code":` + strings.ReplaceAll(string(quoted.Value), "@ {", "@{") + `}`))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := in.Resolve(scope); err != nil {
		t.Fatal(err)
	}
	if _, _, err := in.ResolveProgram(scope, references.ProgramField{Key: "code"}); err != nil {
		t.Fatal(err)
	}
}

// TestHostileFormsAreLinear does the same with inputs that almost are @text: each
// level must be read to its end before that shows.
func TestHostileFormsAreLinear(t *testing.T) {
	nested := func(open, inner, end string) func(n int) string {
		return func(n int) string {
			times := min(n/(len(open)+len(end)), references.MaxDepth/2-1)
			one := strings.Repeat(open, times) + inner + strings.Repeat(end, times)
			return "[" + strings.Repeat(one+",", n/len(one)) + one + "]"
		}
	}
	hostile := map[string]func(n int) string{
		"deep":    nested(`{"@text":[`, `1`, `],"b":1}`),
		"literal": nested(`{"@literal":[`, `1`, `],"@text":[]}`),
		"wide":    func(n int) string { return `{"@text":[` + strings.Repeat(`"@{SESSION_ID}",`, n/16) + `""]}` },
		"joined": func(n int) string {
			return `{"@text":[` + strings.Repeat(`{"@text":["\"\""]},`, n/19) + `""],"@join":"\n"}`
		},
	}
	linear(t, hostile, func(t *testing.T, text string) {
		in, err := references.ParseValue([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := in.Resolve(references.Scope{Session: "sess"}); err != nil || !got.Resolved {
			t.Fatalf("%v, %v", got.Missing, err)
		}
	})
}
