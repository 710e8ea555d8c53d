package python

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"sync"
	"time"
)

// libraries lists the system files and folders that programs need to start.
var libraries = []string{"/usr", "/lib", "/lib32", "/lib64", "/bin", "/etc/ld.so.cache", "/etc/localtime", "/etc/ssl/openssl.cnf", "/nix/store"}

// An installation is an interpreter and the folders that it reads.
type installation struct {
	path string
	read []string
}

var installations sync.Map // of installation, by the path of the interpreter

// installed asks the interpreter once for its real path and its folders: the configured path
// may be a script that looks for the interpreter.
func installed(path string) (real string, read []string, err error) {
	if known, ok := installations.Load(path); ok {
		i := known.(installation)
		return i.path, i.read, nil
	}
	ctx, cancel := context.WithTimeoutCause(context.Background(), 10*time.Second, errors.New("it takes more than 10 s to say where it is"))
	defer cancel()
	text, err := exec.CommandContext(ctx, path, "-I", "-c", "import json, sys\nprint(json.dumps([sys.executable, sys.prefix, sys.base_prefix, sys.exec_prefix] + sys.path))").Output()
	var said []string
	if err == nil {
		err = json.Unmarshal(text, &said)
	}
	if err != nil || len(said) < 4 || said[0] == "" {
		return "", nil, fmt.Errorf("python: %s: where is it installed: %w", path, errors.Join(err, context.Cause(ctx)))
	}
	i := installation{path: said[0], read: append([]string{}, libraries...)}
	for _, folder := range said {
		if folder != "" && folder != "/" {
			i.read = append(i.read, folder)
		}
	}
	installations.Store(path, i)
	return i.path, i.read, nil
}
