package neo4jserver

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
	"time"
)

const envOrphanHome = "STEPGRAPH_TEST_ORPHAN_HOME"

// When the process that started a server is killed, the server goes too and
// gives its home free: the lock that both hold can be taken.
func TestServerDiesWithItsParent(t *testing.T) {
	if dir := os.Getenv(envOrphanHome); dir != "" {
		startAndHang(dir)
	}
	dir := t.TempDir()
	parent := exec.Command(os.Args[0], "-test.run=^TestServerDiesWithItsParent$")
	parent.Env = append(os.Environ(), envOrphanHome+"="+dir)
	out, err := parent.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := parent.Start(); err != nil {
		t.Fatal(err)
	}
	defer parent.Process.Kill()
	var child int
	if _, err := fmt.Fscan(bufio.NewReader(out), &child); err != nil {
		t.Fatal(err)
	}
	if _, err := tryLock(filepath.Join(dir, lockName)); err == nil {
		t.Fatal("the lock of a running server could be taken")
	}
	if err := parent.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := parent.Wait(); err == nil {
		t.Fatal("the parent was not killed")
	}
	wantFreed(t, filepath.Join(dir, lockName), child)
}

// wantFreed waits until nobody holds the lock.
func wantFreed(t *testing.T, name string, child int) {
	t.Helper()
	file, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	freed := make(chan error, 1)
	go func() { freed <- syscall.Flock(int(file.Fd()), syscall.LOCK_EX) }()
	select {
	case err := <-freed:
		if err != nil {
			t.Fatal(err)
		}
	case <-time.After(20 * time.Second):
		syscall.Kill(child, syscall.SIGKILL)
		t.Fatalf("process %d outlives its parent", child)
	}
}

// startAndHang is the parent: it launches what stands for a server, prints its
// process id and waits to be killed. Idle threads are given every reason to
// end, as the death of the thread that launched must not count.
func startAndHang(dir string) {
	home, err := openHome(dir)
	if err != nil {
		panic(err)
	}
	command := exec.Command("sleep", "600")
	command.ExtraFiles = home.inherited()
	p, err := launch(command)
	if err != nil {
		panic(err)
	}
	ended := make(chan struct{})
	go func() {
		runtime.LockOSThread() // and never unlock: the thread ends with the goroutine
		close(ended)
	}()
	<-ended
	fmt.Println(p.command.Process.Pid)
	<-p.done
	os.Exit(3)
}
