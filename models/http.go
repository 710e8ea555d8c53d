package models

import (
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"
)

// MaxBody is the largest answer of a server that providers read by default, in
// bytes.
const MaxBody = 32 << 20

// HTTPClient returns the client of providers that were given none. It is one and
// the same for all, so that they share connections. It waits at most ten minutes
// for the headers of an answer; all other limits come from the context.
var HTTPClient = sync.OnceValue(func() *http.Client {
	transport, ok := http.DefaultTransport.(*http.Transport)
	if !ok { // a program has put a wrapper of its own there, for tracing
		return &http.Client{}
	}
	transport = transport.Clone()
	transport.ResponseHeaderTimeout = 10 * time.Minute
	return &http.Client{Transport: transport}
})

// LimitBody returns a body that fails when more than limit bytes are read of it.
func LimitBody(body io.ReadCloser, limit int64) io.ReadCloser {
	return &limitedBody{ReadCloser: body, limit: limit, left: limit}
}

type limitedBody struct {
	io.ReadCloser
	limit, left int64
}

func (b *limitedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if b.left -= int64(n); b.left < 0 {
		return 0, fmt.Errorf("the answer is larger than %d bytes", b.limit)
	}
	return n, err
}
