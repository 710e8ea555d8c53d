package process_test

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stepgraph/stepgraph/functions/internal/process"
)

// secrets makes a folder as an engine has it: a work folder with the engine's own files below.
func secrets(t *testing.T) (dir string, hide []string) {
	t.Helper()
	dir = t.TempDir()
	for _, name := range []string{".stepgraph/stepgraph.db.vault.key", "data/shop.db", "data/shop.db.vault", "data/readme", "readme"} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("CANARY of "+name+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir, []string{filepath.Join(dir, ".stepgraph"), filepath.Join(dir, "data/shop.db*"), filepath.Join(dir, "absent")}
}

// attack tries to read the engine's files, by every way that a shell has, and to change them.
const attack = `
cat .stepgraph/*.key .stepgraph/stepgraph.db.vault.key data/shop.db data/shop.db.vault
cat /proc/$PPID/environ /proc/$ENGINE/environ /proc/$ENGINE/mem /proc/$ENGINE/root$HERE/data/shop.db /proc/$ENGINE/cwd/x | tr '\0' '\n'
ln -s "$HERE/data/shop.db" /tmp/link-$$ && cat /tmp/link-$$; rm -f /tmp/link-$$
ln data/shop.db.vault data/copy && cat data/copy
mv .stepgraph moved && cat moved/*; mv data/shop.db moved && cat moved
umount .stepgraph data/shop.db data/shop.db.vault; cat .stepgraph/* data/shop.db
unshare -rm umount -l .stepgraph; unshare -rm cat data/shop.db
kill -0 $ENGINE && echo SIGNALLED
echo evil > data/shop.db; echo evil > .stepgraph/stepgraph.db.vault.key; rm -rf .stepgraph data/shop.db.vault
echo "read: $(cat readme)"
echo done`

func TestFilesOfTheEngineAreHidden(t *testing.T) {
	t.Setenv("SOME_KEY", "CANARY of the environment")
	support := process.Supported()
	t.Logf("this kernel: %+v", support)
	if !support.Namespaces && support.Landlock == 0 {
		t.Skip("this kernel can hide nothing: " + support.Why)
	}
	for name, c := range map[string]process.Command{
		"with network": {Isolate: process.Required, Network: true},
		"alone":        {Isolate: process.Required},
		"possible":     {Isolate: process.Possible, Network: true},
		"Landlock":     {Isolate: process.FilesOnly, Network: true},
	} {
		t.Run(name, func(t *testing.T) {
			if !support.Namespaces && !c.Network || support.Landlock == 0 && c.Isolate == process.FilesOnly {
				t.Skipf("not on this kernel: %+v", support)
			}
			dir, hide := secrets(t)
			c.Path, c.Args, c.Dir, c.Limit, c.Files.Hide = "/bin/bash", []string{"-c", attack}, dir, 100_000, hide
			c.Env = []string{"PATH=/usr/bin:/bin", "HERE=" + dir, "ENGINE=" + strconv.Itoa(os.Getpid())}
			r, err := process.Run(t.Context(), c)
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.ReplaceAll(r.Stdout, "CANARY of readme", ""); strings.Contains(got, "CANARY") || !strings.HasSuffix(got, "done\n") ||
				support.Landlock >= 6 && strings.Contains(got, "SIGNALLED") {
				t.Errorf("got %s%s", r.Stdout, r.Stderr)
			}
			if !strings.Contains(r.Stdout, "read: CANARY of readme") {
				t.Errorf("a file that is not hidden cannot be read: %s%s", r.Stdout, r.Stderr)
			}
			for _, name := range []string{".stepgraph/stepgraph.db.vault.key", "data/shop.db", "data/shop.db.vault"} {
				if text, err := os.ReadFile(filepath.Join(dir, name)); err != nil || !strings.HasPrefix(string(text), "CANARY") {
					t.Errorf("%s is now %q, %v", name, text, err)
				}
			}
		})
	}
}

// TestIsolatedCommandsWork: what is not hidden stays as it is: files, devices, signals,
// processes of its own.
func TestIsolatedCommandsWork(t *testing.T) {
	for _, how := range []process.Isolation{process.Required, process.FilesOnly} {
		dir, hide := secrets(t)
		work := filepath.Join(dir, "work")
		if err := os.Mkdir(work, 0o755); err != nil {
			t.Fatal(err)
		}
		r, err := process.Run(t.Context(), process.Command{Isolate: how, Network: true, Path: "/bin/bash", Dir: work, Limit: 1000, Stdin: "typed\n",
			Files: process.Confinement{Hide: hide}, Env: []string{"PATH=/usr/bin:/bin", "A=b"}, Limits: process.Limits{Files: 33},
			Args: []string{"-c", `read x; echo $x $A; mkdir d; echo f > d/f; mv d/f g; cat g; echo > /dev/null; sleep 20 & kill $!; diff <(echo a) <(echo a); ulimit -n; exit 3`}})
		if err != nil || r.Stdout != "typed b\nf\n33\n" || r.Code != 3 {
			t.Errorf("%v: got %+v, %v", how, r, err)
		}
	}
}

// TestReadAndWrite: a list of what may be read closes everything else.
func TestReadAndWrite(t *testing.T) {
	if process.Supported().Landlock == 0 {
		t.Skip("the kernel has no Landlock")
	}
	dir, _ := secrets(t)
	own := t.TempDir()
	r, err := process.Run(t.Context(), process.Command{Isolate: process.Required, Path: "/bin/bash", Dir: own, Limit: 1000, Env: []string{"PATH=/usr/bin:/bin", "HERE=" + dir},
		Files: process.Confinement{Read: []string{"/usr", "/bin", "/lib", "/lib64"}, Write: []string{own}},
		Args:  []string{"-c", `echo mine > f; cat f; cat $HERE/readme /etc/passwd; echo evil > $HERE/evil; echo end`}})
	if _, missing := os.Stat(filepath.Join(dir, "evil")); err != nil || r.Stdout != "mine\nend\n" || missing == nil {
		t.Errorf("got %+v, %v, %v", r, err, missing)
	}
}

// TestAProgramThatIsNotThere is told as it is without isolation.
func TestAProgramThatIsNotThere(t *testing.T) {
	for _, how := range []process.Isolation{process.Possible, process.Required} {
		if r, err := process.Run(t.Context(), process.Command{Isolate: how, Path: "/no/such/program"}); err == nil || !strings.Contains(err.Error(), "no such file") {
			t.Errorf("got %+v, %v", r, err)
		}
	}
}
