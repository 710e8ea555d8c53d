package retention

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/stepgraph/stepgraph/engine/store"
	"github.com/stepgraph/stepgraph/internal/jsontext"
)

// A Folder is an Archive in files, one for each run that removes sessions. Each line is JSON:
//
//	{"archive": {…}}                       the head
//	{"family": {…}}                        sessions that are removed together, each followed by its document:
//	{"session": {…}} … {"end": "ID"}
//	{"settled": [{"session", "outcome"}]}  the outcomes of the families above; without it they are unknown
//	{"closed": {…}}                        the run has ended
//
// A family is synced to disk before it is removed; its line settled follows after the removal. A
// run that is interrupted between the two leaves a file without its end; Recover completes that
// run, so that a session is in one file only.
type Folder struct {
	dir  string
	file *os.File
	n    int // families in the file
}

// A fileLine is a line of a file that is not part of a document.
type fileLine struct {
	Archive *head         `json:"archive,omitempty"`
	Family  *Family       `json:"family,omitempty"`
	Settled []outcomeLine `json:"settled,omitempty"`
	Closed  *closed       `json:"closed,omitempty"`
}

type head struct {
	Format int       `json:"format"`
	Began  time.Time `json:"began"`
}

// An outcomeLine is the line of an archive that says what became of a session.
type outcomeLine struct {
	Session string        `json:"session"`
	Outcome store.Removal `json:"outcome"`
}

type closed struct {
	At       time.Time `json:"at"`
	Families int       `json:"families"`
}

const archiveSuffix = ".ndjson"

// OpenFolder makes the folder if it is not there. Files appear when something is put.
func OpenFolder(dir string) (*Folder, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("archive: %w", err)
	}
	return &Folder{dir: dir}, nil
}

// Put appends families and has the disk keep them. What it has begun and cannot finish is
// taken back.
func (a *Folder) Put(ctx context.Context, families []Family, document func(ctx context.Context, id string, w io.Writer) error) error {
	if err := a.begin(); err != nil {
		return fmt.Errorf("archive: %w", err)
	}
	start, err := a.file.Seek(0, io.SeekEnd)
	if err == nil {
		err = a.put(ctx, families, document)
	}
	if err != nil {
		return fmt.Errorf("archive %s: %w", a.file.Name(), errors.Join(err, a.file.Truncate(start)))
	}
	a.n += len(families)
	return nil
}

func (a *Folder) put(ctx context.Context, families []Family, document func(ctx context.Context, id string, w io.Writer) error) error {
	w := bufio.NewWriterSize(a.file, 1<<16)
	for i := range families {
		f := families[i]
		f.Outcome = ""
		if err := json.NewEncoder(w).Encode(fileLine{Family: &f}); err != nil {
			return err
		}
		for _, m := range f.Marks {
			if err := document(ctx, m.ID, w); err != nil {
				return fmt.Errorf("session %s: %w", m.ID, err)
			}
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return a.file.Sync()
}

// begin opens the file of this run.
func (a *Folder) begin() error {
	if a.file != nil {
		return nil
	}
	now := time.Now().UTC()
	name := fmt.Sprintf("sessions-%s-%d%s", now.Format("20060102T150405.000000"), os.Getpid(), archiveSuffix)
	f, err := os.OpenFile(filepath.Join(a.dir, name), os.O_CREATE|os.O_EXCL|os.O_RDWR|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	a.file = f
	if err := a.line(fileLine{Archive: &head{Format: 1, Began: now}}); err != nil {
		return err
	}
	return syncDir(a.dir)
}

// syncDir has the disk keep the name of a new file, too.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	_ = d.Sync() // some systems cannot sync a directory
	return d.Close()
}

func (a *Folder) line(l fileLine) error {
	b, err := json.Marshal(l)
	if err != nil {
		return err
	}
	_, err = a.file.Write(append(b, '\n'))
	return err
}

// Settle writes what became of families that were put.
func (a *Folder) Settle(families []Family) error {
	var list []outcomeLine
	for i := range families {
		list = append(list, outcomeLine{families[i].Session, families[i].Outcome})
	}
	if err := a.line(fileLine{Settled: list}); err != nil {
		return fmt.Errorf("archive %s: %w", a.file.Name(), err)
	}
	return nil
}

// Close ends the file of this run, if there is one.
func (a *Folder) Close() error {
	if a.file == nil {
		return nil
	}
	err := a.line(fileLine{Closed: &closed{At: time.Now().UTC(), Families: a.n}})
	if err == nil {
		err = a.file.Sync()
	}
	err = errors.Join(err, a.file.Close())
	a.file = nil
	return err
}

// Leave closes the file of a run that failed and does not end it: the next Recover does.
func (a *Folder) Leave() {
	if a.file != nil {
		_ = a.file.Close()
		a.file = nil
	}
}

// Recover finishes what runs that were cut off have left in this folder: the families that are
// on disk whole and may not have been removed are removed now, without being written again. The
// caller has the duty of pruning as owner: no other run writes into the folder. It returns how
// many families it settled.
func (a *Folder) Recover(ctx context.Context, from Source, owner string) (int, error) {
	files, err := archiveFiles(a.dir)
	if err != nil {
		return 0, err
	}
	n := 0
	for _, name := range files {
		done, err := a.recover(ctx, from, owner, name)
		if err != nil {
			return n, fmt.Errorf("archive %s: %w", name, err)
		}
		n += done
	}
	return n, nil
}

func (a *Folder) recover(ctx context.Context, from Source, owner, name string) (int, error) {
	f, err := os.OpenFile(name, os.O_RDWR|os.O_APPEND, 0)
	if err != nil {
		return 0, err
	}
	part := Folder{dir: a.dir, file: f}
	defer part.Leave()
	if ended, err := isClosed(f); ended || err != nil {
		return 0, err
	}
	open, end, families, err := unsettled(f)
	if err != nil {
		return 0, err
	}
	if err := f.Truncate(end); err != nil {
		return 0, err
	}
	part.n = families
	if len(open) > 0 {
		if err := f.Sync(); err != nil { // the run may have died before
			return 0, err
		}
		if err := from.RemoveEnded(ctx, owner, open); err != nil {
			return 0, err
		}
		if err := part.Settle(open); err != nil {
			return 0, err
		}
	}
	return len(open), part.Close()
}

// isClosed looks at the last line alone.
func isClosed(f *os.File) (bool, error) {
	size, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return false, err
	}
	tail := make([]byte, min(size, 4<<10))
	if _, err := f.ReadAt(tail, size-int64(len(tail))); err != nil && err != io.EOF {
		return false, err
	}
	if !bytes.HasSuffix(tail, []byte("\n")) {
		return false, nil
	}
	tail = bytes.TrimSuffix(tail, []byte("\n"))
	return bytes.HasPrefix(tail[bytes.LastIndexByte(tail, '\n')+1:], []byte(`{"closed":`)), nil
}

// unsettled reads a file without its end: the families that are whole and not settled, where
// the last complete line ends, and how many families there are.
func unsettled(f *os.File) (open []Family, end int64, families int, err error) {
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return nil, 0, 0, err
	}
	var family *Family
	ends := 0
	err = eachLine(f, func(text []byte, after int64) error {
		var l struct {
			fileLine
			End string `json:"end"`
		}
		if !special(text) {
			return nil
		}
		if err := json.Unmarshal(text, &l); err != nil {
			return errTorn
		}
		switch {
		case l.Family != nil:
			family, ends = l.Family, 0
		case l.End != "" && family != nil:
			if ends++; ends == len(family.Marks) {
				open = append(open, *family)
				family, end = nil, after
				families++
			}
		case l.Settled != nil:
			open = slices.DeleteFunc(open, func(f Family) bool {
				return slices.ContainsFunc(l.Settled, func(s outcomeLine) bool { return s.Session == f.Session })
			})
			end = after
		case l.Archive != nil:
			end = after
		}
		return nil
	})
	if errors.Is(err, errTorn) {
		err = nil
	}
	return open, end, families, err
}

// errTorn ends the reading of a file at a line that was not written whole.
var errTorn = errors.New("torn line")

// special reports whether a line is none of the body of a document, which may be large.
func special(text []byte) bool {
	for _, key := range [...]string{`{"archive":`, `{"family":`, `{"end":`, `{"settled":`, `{"closed":`} {
		if bytes.HasPrefix(text, []byte(key)) {
			return true
		}
	}
	return false
}

// eachLine calls do with each whole line and where it ends.
func eachLine(f io.Reader, do func(text []byte, after int64) error) error {
	r := bufio.NewReaderSize(f, 1<<16)
	at := int64(0)
	for {
		text, err := r.ReadBytes('\n')
		if err == io.EOF {
			return nil // what is left is torn
		}
		if err != nil {
			return err
		}
		at += int64(len(text))
		if err := do(text, at); err != nil {
			return err
		}
	}
}

// archiveFiles are the files of a folder, oldest first.
func archiveFiles(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("archive: %w", err)
	}
	var names []string
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), "sessions-") && strings.HasSuffix(e.Name(), archiveSuffix) {
			names = append(names, filepath.Join(dir, e.Name()))
		}
	}
	return names, nil
}

// Read finds a session in the files of a folder and returns the lines of its document. A copy
// that was written and then not removed counts only if there is no other.
// store.ErrSessionNotFound.
func Read(dir, id string) ([]Line, error) {
	files, err := archiveFiles(dir)
	if err != nil {
		return nil, err
	}
	var found, stale []Line
	for _, name := range files {
		removed, kept, err := readFrom(name, id)
		if err != nil {
			return nil, fmt.Errorf("archive %s: %w", name, err)
		}
		if removed != nil {
			found = removed
		}
		if kept != nil {
			stale = kept
		}
	}
	if found == nil {
		found = stale
	}
	if found == nil {
		return nil, fmt.Errorf("session %s in archive %s: %w", id, dir, store.ErrSessionNotFound)
	}
	return found, nil
}

func readFrom(name, id string) (removed, kept []Line, err error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = f.Close() }()
	quoted, err := jsontext.Marshal(id) // as documents have it
	if err != nil {
		return nil, nil, err
	}
	first := []byte(`{"session":{"id":` + string(quoted) + `,`)
	root, _, _ := strings.Cut(id, "/")
	var lines []Line
	inside := false
	err = eachLine(f, func(text []byte, _ int64) error {
		if bytes.HasPrefix(text, first) {
			inside, lines = true, nil
		}
		if inside {
			var l Line
			if err := json.Unmarshal(text, &l); err != nil {
				return err
			}
			if lines = append(lines, l); l.End != "" {
				inside, removed = false, lines
			}
			return nil
		}
		if removed == nil || !bytes.HasPrefix(text, []byte(`{"settled":`)) {
			return nil
		}
		var l fileLine
		if err := json.Unmarshal(text, &l); err != nil {
			return err
		}
		for _, s := range l.Settled {
			if s.Session == root && s.Outcome != store.Removed {
				removed, kept = nil, removed
			}
		}
		return nil
	})
	return removed, kept, err
}
