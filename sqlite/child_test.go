package sqlite_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/engine/store"
	"github.com/stepgraph/stepgraph/sqlite"
)

// Tests that need another process start this test binary again, with a role and a file
// in its environment.
const (
	childRole = "STEPGRAPH_SQLITE_CHILD"
	childFile = "STEPGRAPH_SQLITE_FILE"
)

// roles are what a child can be. Each says on standard output what it has done and runs
// until it is killed or its standard input ends.
var roles = map[string]func(ctx context.Context, file string) error{
	"hold":   holdRole,
	"commit": commitRole,
	"count":  countRole,
}

func TestMain(m *testing.M) {
	role := os.Getenv(childRole)
	if role == "" {
		os.Exit(m.Run())
	}
	if err := roles[role](context.Background(), os.Getenv(childFile)); err != nil {
		fmt.Println("error:", err)
		os.Exit(1)
	}
}

// holdRole holds the file.
func holdRole(ctx context.Context, file string) error {
	if _, err := sqlite.Open(ctx, file, sqlite.Options{Exclusive: "child:1"}); err != nil {
		return err
	}
	fmt.Println("holding")
	_, err := io.Copy(io.Discard, os.Stdin)
	return err
}

// commitRole creates a session and commits checkpoint after checkpoint, saying the version
// of each that was acknowledged.
func commitRole(ctx context.Context, file string) error {
	s, err := sqlite.Open(ctx, file, sqlite.Options{})
	if err != nil {
		return err
	}
	if _, err := s.Migrate(ctx); err != nil {
		return err
	}
	_, err = s.Create(ctx, []store.NewSession{{ID: "s", Workflow: "w", Claim: &store.Lease{Token: "t", Owner: "child", For: time.Minute}}})
	if err != nil {
		return err
	}
	for version := int64(0); ; version++ {
		results, err := s.Commit(ctx, []store.Checkpoint{versionedCheckpoint(version)})
		if err != nil {
			return err
		}
		if results[0].Outcome != store.Committed {
			return fmt.Errorf("version %d: outcome %d", version, results[0].Outcome)
		}
		fmt.Println(version + 1)
	}
}

// versionedCheckpoint carries its number in everything it writes.
func versionedCheckpoint(version int64) store.Checkpoint {
	n := version + 1
	return store.Checkpoint{Session: "s", Version: version, Lease: "t", Transition: fmt.Sprint("to ", n), LeaseFor: time.Minute,
		State: fmt.Appendf(nil, `{"n":%d}`, n), Status: store.StatusActive,
		Records: store.Records{Executions: []store.Execution{{Seq: n, Workflow: "w", Step: "a", Status: store.StatusComplete}},
			Messages: []function.Message{{N: n, Role: "user", Content: fmt.Sprint(n)}}}}
}

// countRole delivers requests to the session "shared" until it has written the number
// that childRequests names, beside other processes that do the same.
func countRole(ctx context.Context, file string) error {
	s, err := sqlite.Open(ctx, file, sqlite.Options{BusyTimeout: time.Minute})
	if err != nil {
		return err
	}
	if _, err := s.Migrate(ctx); err != nil {
		return err
	}
	for i := range childRequests {
		d, err := s.Deliver(ctx, []store.Delivery{{Session: "shared", Key: fmt.Sprintf("%d-%d", os.Getpid(), i),
			Decide: func(store.InboxView) (*store.Request, error) {
				return &store.Request{Kind: store.RequestSignal}, nil
			}}})
		if err = errors.Join(err, d[0].Err); err != nil {
			return err
		}
	}
	fmt.Println("done")
	return s.Close()
}

const childRequests = 100

// A child is another process.
type child struct {
	cmd   *exec.Cmd
	lines *bufio.Scanner
}

func startChild(t *testing.T, role, file string) *child {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := &child{cmd: exec.Command(self)}
	c.cmd.Env = append(os.Environ(), childRole+"="+role, childFile+"="+file)
	c.cmd.Stderr = os.Stderr
	if _, err = c.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := c.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	c.lines = bufio.NewScanner(out)
	t.Cleanup(func() { _ = c.cmd.Process.Kill() })
	return c
}

// line waits for the child's next line.
func (c *child) line(t *testing.T) string {
	t.Helper()
	if !c.lines.Scan() {
		t.Fatalf("the child has ended: %v", c.lines.Err())
	}
	if text := c.lines.Text(); strings.HasPrefix(text, "error:") {
		t.Fatal(text)
	}
	return c.lines.Text()
}

// kill ends the child as kill -9 does and returns what it had said by then.
func (c *child) kill(t *testing.T) []string {
	t.Helper()
	if err := c.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	var rest []string
	for c.lines.Scan() {
		rest = append(rest, c.lines.Text())
	}
	_ = c.cmd.Wait() // reports the kill
	return rest
}
