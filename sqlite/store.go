package sqlite

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	_ "modernc.org/sqlite" // the driver; docs/adr/0002-sqlite-driver.md says why this one

	"github.com/stepgraph/stepgraph/engine/store"
)

// Options adjust a Store. The zero value works.
type Options struct {
	// Now is the clock; nil means time.Now. Times are kept to the microsecond.
	Now func() time.Time
	// Exclusive, if set, is the address of the engine that opens the file. A second
	// exclusive Open of the file fails with a *HeldError that carries the address of the
	// first, until that store is closed or its process has ended.
	Exclusive string
	// Readers is how many connections read at once; 0 means 4.
	Readers int
	// Migrate says whether Open creates the tables and updates those of an older version; nil
	// means yes. With new(false), call Migrate separately: if several programs share a file, or
	// to read a file of another version.
	Migrate *bool
	// BusyTimeout is how long a write waits for another process; 0 means 5 s. After it
	// the write fails with engine.ErrUnavailable.
	BusyTimeout time.Duration
}

// A Store is one open file. It implements engine.Store. Its methods are those of its parts, one
// for each noun of the contract; the parts share the connections.
//
// Open makes it, and creates the file; Close ends it. Several processes may open one file, unless
// one has opened it with Options.Exclusive. Reads run side by side on connections of their own and
// see the last commit; writes wait for the one writer of the process and then for the file's lock.
type Store struct {
	*db
	auditTrail
	batches
	commits
	definitions
	engines
	history
	inbox
	leases
	retention
	schema
	sessions
	turns
	workflows

	hold *hold // nil unless opened with Options.Exclusive
}

var (
	_ store.Store   = (*Store)(nil)
	_ store.Checker = (*Store)(nil)
)

// newStore puts the parts together.
func newStore(d *db) *Store {
	return &Store{
		db: d, auditTrail: auditTrail{d}, batches: batches{d}, commits: commits{d}, definitions: definitions{d}, engines: engines{d},
		history: history{d}, inbox: inbox{d}, leases: leases{d}, retention: retention{d}, schema: schema{d}, sessions: sessions{d},
		turns: turns{d}, workflows: workflows{d, &known{}},
	}
}

// Open opens a file and creates it and its directory if absent. The file is readable by its
// owner only, because sessions contain personal data. Its tables are created or updated unless
// Options.Migrate is false. Open returns a *HeldError if another process holds the file (see
// Options.Exclusive), and a descriptive error if the file is not a database or is in a directory
// that cannot be written.
func Open(ctx context.Context, file string, o Options) (*Store, error) {
	if file == "" || strings.HasPrefix(file, ":memory:") {
		return nil, fmt.Errorf("open sqlite store %q: want the name of a file (the memory store is another package)", file)
	}
	abs, err := filepath.Abs(file)
	if err != nil {
		return nil, fmt.Errorf("open sqlite store %s: %w", file, err)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	s := newStore(&db{file: file, now: o.Now})
	if err := s.open(ctx, abs, o); err != nil {
		return nil, errors.Join(fmt.Errorf("open sqlite store %s: %w", file, err), s.Close())
	}
	return s, nil
}

func (s *Store) open(ctx context.Context, abs string, o Options) error {
	if err := create(abs); err != nil {
		return err
	}
	abs, err := oneName(abs)
	if err != nil {
		return err
	}
	if o.Exclusive != "" {
		h, err := holdFile(abs, o.Exclusive)
		if err != nil {
			return err
		}
		s.hold = h
	}
	busy := o.BusyTimeout
	if busy <= 0 {
		busy = 5 * time.Second
	}
	readers := o.Readers
	if readers <= 0 {
		readers = 4
	}
	if s.writer, err = newWriter(ctx, address(abs, busy, false), s.now, &s.gate); err != nil {
		return explain(err)
	}
	if s.reader, err = newReader(address(abs, busy, true), readers, &s.gate); err != nil {
		return explain(err)
	}
	if err := s.reader.db.PingContext(ctx); err != nil {
		return explain(err)
	}
	if o.Migrate != nil && !*o.Migrate {
		if err := s.checkSchema(ctx); !errors.Is(err, store.ErrSchema) { // writes are refused then, see Ping
			return err
		}
		return nil
	}
	_, err = s.Migrate(ctx)
	return err
}

// create makes the file if need be, so that it never exists with wider rights.
func create(abs string) error {
	if err := os.MkdirAll(filepath.Dir(abs), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(abs, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	return f.Close()
}

// address is the driver's name for the file, with what every connection must be set to.
// Order counts: busy_timeout comes before journal_mode, which may have to wait.
func address(abs string, busy time.Duration, readOnly bool) string {
	path := filepath.ToSlash(abs)
	if runtime.GOOS == "windows" {
		path = "/" + path
	}
	pragmas := []string{
		"busy_timeout(" + strconv.FormatInt(busy.Milliseconds(), 10) + ")",
		"temp_store(MEMORY)",
	}
	if readOnly {
		pragmas = append(pragmas, "query_only(1)", "cache_size(-8192)")
	} else {
		// The log is copied back into the file every 16 MB, not every 4: pages that change
		// with each commit are copied a quarter as often. After a burst the log file
		// shrinks again. Foreign keys are off: each delete names its rows itself, in
		// batches, which a cascade could not.
		pragmas = append(pragmas, "journal_mode(WAL)", "synchronous(FULL)", "cache_size(-32768)",
			"wal_autocheckpoint(4000)", "journal_size_limit(67108864)", "foreign_keys(0)")
	}
	u := url.URL{Scheme: "file", Path: path, RawQuery: url.Values{"_pragma": pragmas, "_dqs": {"0"}, "_error_rc": {"1"}}.Encode()}
	return u.String()
}

// Close waits for the write under way, closes the file and gives it up.
func (s *Store) Close() error {
	var faults []error
	if s.reader != nil {
		faults = append(faults, s.reader.close())
	}
	if s.writer != nil {
		faults = append(faults, s.writer.close())
	}
	if s.hold != nil {
		faults = append(faults, s.hold.release())
		s.hold = nil
	}
	return errors.Join(faults...)
}

// Ping reports whether the file can be read and has the migrations of this version. After a write failed because the disk was full, it
// also writes: a store that is reported as not ready gets no requests, so nothing else would
// detect that there is space again.
func (s *Store) Ping(ctx context.Context) error {
	if err := s.checkSchema(ctx); err != nil || !s.writer.full.Load() {
		return err
	}
	return s.writer.write(ctx, "ping", func(t *tx) error { return t.touch() })
}
