package cypher

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"
)

// A link is the store's way to the server: a driver with its pool of connections, which is
// replaced when a call was met with silence.
//
// A connection can die without a word: a firewall forgets it, or the machine behind the
// address is another one after a failover. The driver sees that when the server's own hint
// has passed (2 minutes), connection by connection, and until then every call that is given
// one of the others waits as long. So each call has a deadline, and the first one that
// passes it replaces the whole pool: the connections beside the silent one are as old.
type link struct {
	open    func() (neo4j.DriverWithContext, error)
	driver  atomic.Pointer[neo4j.DriverWithContext]
	mu      sync.Mutex
	renewed time.Time
	closed  bool
}

// renewAtMost is the shortest time between two replacements of the pool: a server that is merely
// slow must not have all its connections replaced with each call.
const renewAtMost = 5 * time.Second

func newLink(open func() (neo4j.DriverWithContext, error)) (*link, error) {
	l := &link{open: open}
	d, err := open()
	if err != nil {
		return nil, err
	}
	l.driver.Store(&d)
	return l, nil
}

func (l *link) session(ctx context.Context, c neo4j.SessionConfig) neo4j.SessionWithContext {
	return (*l.driver.Load()).NewSession(ctx, c)
}

// renew replaces the pool. Calls under way on the old one come to their own deadlines.
func (l *link) renew() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed || time.Since(l.renewed) < renewAtMost {
		return
	}
	fresh, err := l.open()
	if err != nil {
		return // the address was good when the store was opened
	}
	old := l.driver.Swap(&fresh)
	l.renewed = time.Now()
	go closeDriver(*old)
}

// closeDriver closes a driver whose connections may be silent.
func closeDriver(d neo4j.DriverWithContext) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	_ = d.Close(ctx)
}

func (l *link) close(ctx context.Context) error {
	l.mu.Lock()
	l.closed = true
	l.mu.Unlock()
	return (*l.driver.Load()).Close(ctx)
}
