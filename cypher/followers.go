package cypher

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"
)

// In a cluster, one server takes the writes of a database, the leader; the others, its followers,
// have them a moment later. Whatever an engine decides by is read at the leader. Reads that are
// made to be shown (store.Shown) are answered by a follower.
//
// A follower may lack what was just acknowledged, by this engine or another. A
// bookmark of that write would do, but it would have to travel with every request between clients
// and engines. So each such read first asks the leader for nothing, which costs one round trip: the bookmark of
// the answer names the last commit of that moment, no matter who made it, and the follower answers once it has that.
//
// All calls of a store pass their bookmarks on through one manager. So the next leader, too, answers only when it
// has applied what the one before it acknowledged.
type followers struct {
	routed  bool // the address is one of a cluster, where the driver chooses a server by access mode
	timeout time.Duration
	marks   *bookmarks
	rest    atomic.Int64 // until when followers are not asked, in nanoseconds since 1970
}

const (
	followerTimeout = time.Second      // then the leader is asked instead
	restAfterFault  = 10 * time.Second // a follower was cut off, or is far behind
	restAlone       = 30 * time.Second // the leader was the one to answer: there are no followers
)

// newFollowers judges by the scheme of the address.
func newFollowers(uri string) *followers {
	return &followers{routed: strings.HasPrefix(uri, "neo4j"), timeout: followerTimeout, marks: newBookmarks()}
}

func (f *followers) askable() bool { return f.routed && time.Now().UnixNano() >= f.rest.Load() }

func (f *followers) restFor(d time.Duration) { f.rest.Store(time.Now().Add(d).UnixNano()) }

// bookmarks are a neo4j.BookmarkManager that can be emptied.
type bookmarks struct {
	mu   sync.Mutex
	kept neo4j.BookmarkManager
}

var _ neo4j.BookmarkManager = (*bookmarks)(nil)

func newBookmarks() *bookmarks {
	b := &bookmarks{}
	b.forget()
	return b
}

func (b *bookmarks) manager() neo4j.BookmarkManager {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.kept
}

// GetBookmarks implements neo4j.BookmarkManager.
func (b *bookmarks) GetBookmarks(ctx context.Context) (neo4j.Bookmarks, error) {
	return b.manager().GetBookmarks(ctx)
}

// UpdateBookmarks implements neo4j.BookmarkManager.
func (b *bookmarks) UpdateBookmarks(ctx context.Context, previous, next neo4j.Bookmarks) error {
	return b.manager().UpdateBookmarks(ctx, previous, next)
}

// forget drops all bookmarks. A database that was restored from a backup may never have the
// commits that they name, and would let each call wait for them until its deadline.
func (b *bookmarks) forget() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.kept = neo4j.NewBookmarkManager(neo4j.BookmarkManagerConfig{})
}

// isBookmark reports that the server does not know a bookmark, or has waited too long for its commit.
func isBookmark(err error) bool {
	var answer *neo4j.Neo4jError
	return errors.As(err, &answer) && (strings.HasPrefix(answer.Code, "Neo.ClientError.Transaction.InvalidBookmark") ||
		answer.Code == "Neo.TransientError.Transaction.BookmarkTimeout")
}
