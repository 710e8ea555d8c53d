package api

import (
	"cmp"
	"errors"
	"io"
	"net/http"
	"os"
	"sync"
	"time"
)

// Bounds of bodies that take long to arrive. A valid token may send a body slowly, but not a
// thousand at once: each holds a connection, and in memory the part that has arrived.
const (
	slowAfter     = 2 * time.Second // from then on a body counts as slow
	slowOfCaller  = 64              // slow bodies of one token
	slowOfAddress = 128             // slow bodies of one address; those of a proxy are many people's
)

// Bounds of the memory that bodies take while their requests are under way. Small bodies, such as
// starts and answers mostly have, are not counted: connections are bounded.
const (
	smallBody = 64 << 10  // what a body has beyond this is counted
	bodyRoom  = 129 << 20 // for all bodies together; one token may have half of it, which is enough for the largest batch
)

// slowBodies counts the slow bodies of tokens and addresses, and the bytes of large ones. The zero
// value is ready.
type slowBodies struct {
	mu   sync.Mutex
	of   map[string]int
	room int64            // 0: bodyRoom
	all  int64            // bytes of large bodies
	each map[string]int64 // of each token
}

// reserve counts bytes of a large body; false if there is no room for them.
func (s *slowBodies) reserve(caller string, bytes int64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	room := cmp.Or(s.room, bodyRoom)
	if s.all+bytes > room || s.each[caller]+bytes > room/2 {
		return false
	}
	if s.each == nil {
		s.each = map[string]int64{}
	}
	s.all += bytes
	s.each[caller] += bytes
	return true
}

// release gives the room of a body back.
func (s *slowBodies) release(caller string, bytes int64) {
	if bytes == 0 {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all -= bytes
	if s.each[caller] -= bytes; s.each[caller] <= 0 {
		delete(s.each, caller)
	}
}

// enter counts a slow body, unless its token or its address has as many as it may have.
func (s *slowBodies) enter(caller, address string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.of[caller] >= slowOfCaller || s.of[address] >= slowOfAddress {
		return false
	}
	if s.of == nil {
		s.of = map[string]int{}
	}
	s.of[caller]++
	s.of[address]++
	return true
}

func (s *slowBodies) leave(keys ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, key := range keys {
		if s.of[key]--; s.of[key] <= 0 {
			delete(s.of, key)
		}
	}
}

// limitUnreadBodies sets a short deadline for a body that no handler reads. The HTTP server reads what a
// handler has left before it answers, also on the routes that need no token: without the deadline,
// a client that announces a body there and never sends it holds a connection.
func limitUnreadBodies(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if hasBody(r) {
			_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(leftoverTimeout)) // a writer without deadlines goes without
		}
		next.ServeHTTP(w, r)
	})
}

func hasBody(r *http.Request) bool {
	return r.ContentLength != 0 && r.Body != nil && r.Body != http.NoBody
}

// serve serves a request and counts its body until it has arrived.
func (s *slowBodies) serve(next http.Handler, w http.ResponseWriter, r *http.Request, caller string) {
	if !hasBody(r) {
		next.ServeHTTP(w, r)
		return
	}
	b := &trackedBody{ReadCloser: r.Body, of: s, caller: "token " + caller, address: "address " + addressOf(r), control: http.NewResponseController(w)}
	if caller == anonymousName { // of whom there are many
		b.caller = "anonymous at " + addressOf(r)
	}
	b.allow()
	b.timer = time.AfterFunc(slowAfter, b.countSlow)
	defer func() { b.of.release(b.caller, b.held) }()
	defer b.end(true)
	r.Body = b
	next.ServeHTTP(w, r)
}

// A trackedBody body is one that has not come as a whole.
type trackedBody struct {
	io.ReadCloser
	of              *slowBodies
	caller, address string
	control         *http.ResponseController
	timer           *time.Timer
	size, held      int64 // bytes that have come, and those that count

	mu                     sync.Mutex
	counted, refused, over bool
}

// countSlow counts the body as slow. If there are too many, it ends the read, and ends it again in
// case that a reader has set a new deadline.
func (b *trackedBody) countSlow() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.over {
		return
	}
	if b.counted = b.of.enter(b.caller, b.address); b.counted {
		return
	}
	b.refused = true
	_ = b.control.SetReadDeadline(time.Now()) // a writer without deadlines goes without
	b.timer.Reset(slowAfter)
}

// allow gives the next part its time.
func (b *trackedBody) allow() {
	_ = b.control.SetReadDeadline(time.Now().Add(bodyTimeout)) // a writer without deadlines goes without
}

// Read ends the count when the body has come, and lifts the deadline, which would end the
// request's context.
func (b *trackedBody) Read(p []byte) (int, error) {
	if b.isRefused() {
		return 0, tooManySlow()
	}
	b.allow()
	n, err := b.ReadCloser.Read(p)
	if b.size += int64(n); n > 0 && b.size > smallBody {
		if !b.of.reserve(b.caller, int64(n)) {
			return 0, problem("overloaded", "large bodies of other requests use all the memory reserved for them")
		}
		b.held += int64(n)
	}
	switch {
	case err == io.EOF:
		_ = b.control.SetReadDeadline(time.Time{})
		b.end(false)
	case errors.Is(err, os.ErrDeadlineExceeded) && b.isRefused():
		err = tooManySlow()
	}
	return n, err
}

func (b *trackedBody) isRefused() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.refused
}

// end stops counting the body. The HTTP server reads what a handler has left before it answers,
// within leftoverTimeout.
func (b *trackedBody) end(unread bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.over {
		return
	}
	b.over = true
	b.timer.Stop()
	if b.counted {
		b.of.leave(b.caller, b.address)
	}
	if unread {
		_ = b.control.SetReadDeadline(time.Now().Add(leftoverTimeout)) // a writer without deadlines goes without
	}
}

// tooManySlow is the error of reading a body when too many others are as slow.
func tooManySlow() *Problem {
	p := problem("quota_exceeded", "too many slow request bodies of this token or address")
	p.header.Set("Retry-After", "10")
	return p
}

// bodyTimeout is how long a body may take to arrive.
const bodyTimeout = 30 * time.Second

// leftoverTimeout is how long the server waits for the rest of a body that will not be used.
const leftoverTimeout = time.Second
