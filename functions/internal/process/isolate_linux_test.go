package process_test

import (
	"errors"
	"net"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stepgraph/stepgraph/functions/internal/process"
)

func TestLimits(t *testing.T) {
	c := process.Command{Path: "/bin/sh", Env: []string{"PATH=/usr/bin:/bin"}, Dir: t.TempDir(), Limit: 1000,
		Limits: process.Limits{CPU: 7, FileSize: 4096, Files: 20, Memory: 1 << 30, Processes: 500},
		Stdin:  "ulimit -t; ulimit -n; ulimit -v; head -c 9000 /dev/zero > f; wc -c < f; ulimit -t 99 && echo raised"}
	r, err := process.Run(t.Context(), c)
	if err != nil || !strings.HasPrefix(r.Stdout, "7\n20\n1048576\n4096\n") {
		t.Errorf("got %+v, %v", r, err)
	}
	if strings.Contains(r.Stdout, "raised") && os.Getuid() != 0 {
		t.Error("a limit was raised")
	}
}

func TestLimitOfCPU(t *testing.T) {
	c := process.Command{Path: "/bin/sh", Stdin: "while :; do :; done", Limits: process.Limits{CPU: 1}}
	r, err := process.Run(t.Context(), c)
	if err != nil || r.Signal == "" {
		t.Errorf("got %+v, %v", r, err)
	}
}

func TestIsolated(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	_, port, _ := net.SplitHostPort(listener.Addr().String())
	command := func(how process.Isolation) process.Command {
		return process.Command{Path: "/bin/bash", Env: []string{"PATH=/usr/bin:/bin"}, Limit: 1000, Isolate: how,
			Args: []string{"-c", `exec 3<>/dev/tcp/127.0.0.1/` + port + ` && echo connected; tr '\0' '\n' </proc/` + strconv.Itoa(os.Getpid()) + `/environ | grep -c . ; echo $$`}}
	}
	if r, err := process.Run(t.Context(), command(process.Shared)); err != nil || !strings.HasPrefix(r.Stdout, "connected") {
		t.Fatalf("got %+v, %v", r, err)
	}
	r, err := process.Run(t.Context(), command(process.Required))
	if errors.Is(err, process.ErrNotIsolated) {
		t.Skipf("no namespaces here: %v", err)
	}
	if err != nil || r.Stdout != "0\n1\n" {
		t.Errorf("got %+v, %v", r, err)
	}
}
