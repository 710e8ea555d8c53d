package main

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"time"

	"github.com/stepgraph/stepgraph/cmd/stepgraph/internal/client"
	"github.com/stepgraph/stepgraph/engine"
)

// watchEvery is how often a watched folder is polled. Polling is cheap and works on every file
// system; notifications do not.
const watchEvery = 500 * time.Millisecond

// A folderWatcher loads the workflow files of a folder when they change. A file that is
// gone leaves its workflow in the graph: sessions may be on it.
type folderWatcher struct {
	loads  *loadCommands
	own    *client.Client
	folder string
	force  bool // load files that have errors too
	seen   map[string]stamp
}

// A stamp reports whether a file has changed.
type stamp struct {
	at   time.Time
	size int64
}

// watchFolder loads a folder for the first time. Faults are only printed, since the files are being
// edited.
func (cmd *serveCommands) watchFolder(ctx context.Context, own *client.Client, folder string, force bool) (*folderWatcher, error) {
	w := &folderWatcher{loads: cmd.load, own: own, folder: folder, force: force, seen: map[string]stamp{}}
	if folder == "" {
		return w, nil
	}
	if !isFolder(folder) {
		return nil, &fs.PathError{Op: "watch", Path: folder, Err: errors.New("is not a folder")}
	}
	w.look(ctx)
	return w, nil
}

// run looks until ctx ends.
func (w *folderWatcher) run(ctx context.Context) {
	if w.folder == "" {
		return
	}
	tick := time.NewTicker(watchEvery)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			w.look(ctx)
		case <-ctx.Done():
			return
		}
	}
}

// look loads the files that have changed since the last look.
func (w *folderWatcher) look(ctx context.Context) {
	files, err := filesBelow(w.folder)
	if err != nil {
		w.loads.printErr("watch %s: %s", w.folder, err)
		return
	}
	var changed []string
	for _, file := range files {
		info, err := os.Stat(file)
		if err != nil {
			continue // gone between the two looks
		}
		if now := (stamp{info.ModTime(), info.Size()}); w.seen[file] != now {
			w.seen[file] = now
			changed = append(changed, file)
		}
	}
	for _, file := range changed {
		if err := w.load(ctx, file); err != nil && ctx.Err() == nil {
			w.loads.printErr("%s", err)
		}
	}
}

func (w *folderWatcher) load(ctx context.Context, file string) error {
	sources, err := w.loads.sources.readSources([]string{file})
	if err != nil {
		return err
	}
	workflows, err := mergeSources(sources, loadOptions{})
	if err != nil {
		return err
	}
	options := loadOptions{places: positionsOf(sources, ""), force: w.force}
	refused, err := w.loads.checkAll(ctx, w.own, workflows, options)
	if err != nil {
		return err
	}
	if len(refused) > 0 {
		w.loads.printErr("%s was not loaded, what was loaded of it before stays; correct the errors, or start with --force", file)
		return nil
	}
	for _, one := range workflows {
		diff, err := w.own.Put(ctx, one, engine.PutOptions{Force: w.force})
		if err != nil {
			return err
		}
		if !diff.Empty() {
			w.loads.printErr("loaded %s: %s; %s", diff.Workflow, changesText("step", diff.Steps), changesText("path", diff.Paths))
		}
	}
	return nil
}
