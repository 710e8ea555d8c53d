package models

import (
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"
)

// MaxBody is the default limit of a response body, in bytes.
const MaxBody = 32 << 20

// HTTPClient returns the default client of providers, one for all so that they share
// connections. It waits at most ten minutes for the response headers; all other limits come
// from the context.
var HTTPClient = sync.OnceValue(func() *http.Client {
	transport, ok := http.DefaultTransport.(*http.Transport)
	if !ok { // the program has replaced the transport, for instance for tracing
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
