package hostile

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

const (
	fewest   = 1000            // files that a run has to load
	mostEnds = 5               // of the process, until the run is given up
	slow     = 2 * time.Second // of a file that is told of
)

// mostTime is how long a run may take on the clock: what takes longer is given up while the
// test still can say which file was at fault.
func mostTime() time.Duration {
	if large() || race {
		return 40 * time.Minute
	}
	return 6 * time.Minute
}

// children are the processes that load files beside each other.
const children = 2

// TestLoadingIsInert loads, validates, stores and writes hostile files of every format in
// processes that may do nothing else.
func TestLoadingIsInert(t *testing.T) {
	needConfinement(t)
	list, err := corpus()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), mostTime())
	defer cancel()
	var loaded [children]int
	t.Run("child", func(t *testing.T) {
		for first := range children {
			t.Run(strconv.Itoa(first), func(t *testing.T) {
				t.Parallel()
				loaded[first] = loadEvery(ctx, t, list, first)
			})
		}
	})
	all := 0
	for _, n := range loaded {
		all += n
	}
	t.Logf("%d of %d files loaded", all, len(list))
	if all < fewest && os.Getenv(envOnly) == "" {
		t.Errorf("only %d files were loaded, want at least %d", all, fewest)
	}
}

// loadEvery loads the files of one child, in a new process after each that one ended, and
// counts those that were loaded.
func loadEvery(ctx context.Context, t *testing.T, list []hostile, first int) (loaded int) {
	for from, ends := first, 0; from < len(list); {
		r := loadFrom(ctx, t, list, from)
		loaded += r.loaded
		switch {
		case r.whole:
			return loaded
		case r.at < from:
			t.Fatalf("the process ended before its first file: %v\n%s", r.err, r.said)
		case ctx.Err() != nil:
			t.Fatalf("given up after %v at %s, with %d files loaded", mostTime(), list[r.at].name, loaded)
		}
		report(t, list[r.at], "it ended the process: "+r.err.Error()+"\n"+beginning(r.said))
		from = r.at + children
		if ends++; ends == mostEnds {
			t.Fatalf("%d files have ended the process: the others are not tried", ends)
		}
	}
	return loaded
}

// A result is how far one child has come.
type result struct {
	loaded int
	at     int  // the file that was begun last
	whole  bool // it came to the end, and was confined to the end
	err    error
	said   string // of its end
}

func loadFrom(ctx context.Context, t *testing.T, list []hostile, from int) result {
	t.Helper()
	c := childProcess(ctx, modeLoad, envFrom+"="+strconv.Itoa(from), envEvery+"="+strconv.Itoa(children))
	var said bytes.Buffer
	c.Stderr = &said
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	r := result{at: from - 1}
	var name string
	all := 0
	for d := json.NewDecoder(out); ; {
		var e event
		if d.Decode(&e) != nil {
			break // it has ended: why is looked at below
		}
		switch {
		case e.All > 0:
			all = e.All
		case e.Begins:
			r.at, name = e.File, e.Name
		default:
			r.loaded++
			if took := time.Duration(e.Took * float64(time.Second)); took > slow {
				t.Logf("%s took %v", name, took.Round(time.Millisecond))
			}
			report(t, list[e.File], e.Faults...)
		}
	}
	r.err, r.said = c.Wait(), said.String()
	var ended *exec.ExitError
	if all > 0 && errors.As(r.err, &ended) && strings.Contains(r.said, confined) {
		r.whole = true
	} else if ctx.Err() == nil && (all > 0 || r.err == nil) {
		t.Fatalf("the process was not confined to its end: %v\n%s", r.err, r.said)
	}
	return r
}

// report says what is wrong, and keeps the file where that is asked for.
func report(t *testing.T, file hostile, faults ...string) {
	t.Helper()
	for _, fault := range faults {
		t.Errorf("%s: %s", file.name, fault)
	}
	if folder := os.Getenv(envKeep); folder != "" && len(faults) > 0 {
		if err := os.WriteFile(filepath.Join(folder, filepath.Base(file.name)), file.text(), 0o600); err != nil {
			t.Error(err)
		}
	}
}

// beginning is what matters of the stacks of a process that ended.
func beginning(text string) string {
	lines := strings.SplitN(text, "\n", 61)
	return strings.Join(lines[:min(60, len(lines))], "\n")
}
