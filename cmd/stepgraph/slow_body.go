package main

import (
	"io"
	"net/http"
	"time"
)

// How long a body may take to arrive: bodyWithin, and a second more for each bodyRate bytes
// that have come. Readers with a deadline of their own, such as those of batches, set theirs
// before each read, and this one counts where it is sooner.
const (
	bodyWithin = 60 * time.Second
	bodyRate   = 16 << 10
)

// boundBody bounds the time in which the body of a request may come, read by a
// handler or by the server itself, which discards what a handler left unread before it answers.
// Without it a client that announces a body and never sends it holds its connection for ever,
// before its token is checked.
//
// The deadline is lifted when the body has come: it would end the context of a request that
// waits for its session.
func boundBody(w http.ResponseWriter, r *http.Request) *http.Request {
	if r.ContentLength == 0 || r.Body == nil || r.Body == http.NoBody {
		return r
	}
	b := &slowBody{ReadCloser: r.Body, control: http.NewResponseController(w), began: time.Now()}
	b.bound()
	r.Body = b
	return r
}

type slowBody struct {
	io.ReadCloser
	control *http.ResponseController
	began   time.Time
	come    int64
}

func (b *slowBody) bound() {
	until := b.began.Add(bodyWithin + time.Duration(b.come/bodyRate)*time.Second)
	_ = b.control.SetReadDeadline(until) // a connection without deadlines goes without
}

// Read bounds the next part by what has come so far.
func (b *slowBody) Read(p []byte) (int, error) {
	b.bound()
	n, err := b.ReadCloser.Read(p)
	b.come += int64(n)
	if err == io.EOF {
		_ = b.control.SetReadDeadline(time.Time{})
	}
	return n, err
}
