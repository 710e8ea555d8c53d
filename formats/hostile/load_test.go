package hostile

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"runtime/debug"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/stepgraph/stepgraph/compat"
	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/functions"
	"github.com/stepgraph/stepgraph/functions/files"
	"github.com/stepgraph/stepgraph/functions/mcp"
	"github.com/stepgraph/stepgraph/functions/shell"
)

// modeLoad is the child that loads all files.
const modeLoad = "load"

// Limits of one file. They are generous: what breaks them takes a program down, or makes
// people wait for it.
const (
	mostMemory   = 2 << 30          // of the process, in bytes
	mostStack    = 64 << 20         // of one goroutine, in bytes; Go ends a process at 1 GB
	timePerMB    = 5 * time.Second  // of a processor, for each begun MB: to load it, and to write it in each of the formats
	patience     = 30 * time.Second // on the clock, and four times what a file may take of a processor: what hangs
	bytesPerTime = 1 << 20
)

// An event is a line of what the child says.
type event struct {
	File   int      `json:"file"`
	Name   string   `json:"name,omitempty"`
	Begins bool     `json:"begins,omitempty"`
	Faults []string `json:"faults,omitempty"`
	Took   float64  `json:"took,omitempty"` // seconds of a processor
	Size   int      `json:"size,omitempty"`
	All    int      `json:"all,omitempty"` // at the end: how many files there are
}

// loadAll loads the files of the corpus from one on, each or some, confined. At the end it does what is
// forbidden, so that whoever has started it knows that it was until then.
func loadAll() error {
	list, err := corpus()
	if err != nil {
		return err
	}
	from, err := strconv.Atoi(os.Getenv(envFrom))
	if err != nil {
		return fmt.Errorf("%s: %w", envFrom, err)
	}
	every := int(max(number(envEvery, 1), 1))
	registry := everything()
	debug.SetMaxStack(mostStack)
	debug.SetGCPercent(400) // most files are small, and what they took is not kept
	debug.SetMemoryLimit(mostMemory / 2)
	if err := errors.Join(bound(mostMemory), confine()); err != nil {
		return err
	}
	say := json.NewEncoder(os.Stdout)
	for i := from; i < len(list); i += every {
		text := list[i].text()
		if err := say.Encode(event{File: i, Name: list[i].name, Begins: true, Size: len(text)}); err != nil {
			return err
		}
		most := timePerMB * time.Duration(1+len(text)/bytesPerTime)
		done := watch(list[i].name, patience+4*most)
		began := processorTime()
		c := check{registry: registry, most: most}
		faults := c.file(list[i].name, text)
		took := processorTime() - began
		done()
		if err := say.Encode(event{File: i, Faults: faults, Took: took.Seconds()}); err != nil {
			return err
		}
	}
	if err := say.Encode(event{File: len(list), All: len(list)}); err != nil {
		return err
	}
	return errors.Join(errors.New("nothing kept the process from writing"), os.WriteFile(os.DevNull, nil, 0))
}

// watch ends the process, with all stacks, when a file takes longer than that on the clock.
func watch(name string, longest time.Duration) (done func()) {
	var over atomic.Bool
	timer := time.AfterFunc(longest, func() {
		if !over.Load() {
			debug.SetTraceback("all")
			panic(name + " hangs")
		}
	})
	return func() { over.Store(true); timer.Stop() }
}

// everything registers every function there is, with everything allowed: a file may not use
// what its reader could.
func everything() *engine.Registry {
	r := engine.NewRegistry()
	options := functions.Options{Shell: shell.Options{Allow: true, Dir: os.TempDir()}, Files: files.Options{Dir: os.TempDir()}, Getenv: func(string, *url.URL) (string, bool) { return "secret", true }}
	functions.Standard(r, options)
	compat.Functions(r, options)
	r.Add(mcp.Spec(mcp.NewPool(mcp.Options{Servers: map[string]mcp.Server{"x": {Command: "touch", Args: []string{"/tmp/stepgraph-was-here"}}}})))
	return r
}

func background() (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.Background(), patience)
}
