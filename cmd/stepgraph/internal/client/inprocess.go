package client

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
)

// InProcess returns a client of a handler in this process: the same answers as over a
// network, without one.
func InProcess(h http.Handler) *Client {
	return &Client{base: "http://in-process", http: &http.Client{Transport: handlerTransport{h}}}
}

// handlerTransport carries requests to a handler. Streams arrive as they are written.
type handlerTransport struct{ h http.Handler }

// RoundTrip calls the handler and returns once it has begun to answer.
func (t handlerTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	served := r.Clone(r.Context())
	if served.Body == nil {
		served.Body = http.NoBody
	}
	served.RequestURI = r.URL.RequestURI()
	served.Host = r.URL.Host
	body, to := io.Pipe()
	w := &answer{header: http.Header{}, body: to, begun: make(chan struct{})}
	go func() {
		defer func() {
			err := io.EOF
			if fault := recover(); fault != nil {
				err = fmt.Errorf("the handler panicked: %v", fault)
			}
			w.WriteHeader(http.StatusOK)
			to.CloseWithError(err)
		}()
		t.h.ServeHTTP(w, served)
	}()
	select {
	case <-w.begun:
	case <-r.Context().Done():
		body.CloseWithError(errGone)
		return nil, r.Context().Err()
	}
	return &http.Response{
		Status: fmt.Sprintf("%d %s", w.status, http.StatusText(w.status)), StatusCode: w.status,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: w.header.Clone(), Body: body, ContentLength: -1, Request: r,
	}, nil
}

// errGone is what a handler gets that writes to a caller who no longer reads.
var errGone = errors.New("the caller has gone")

// An answer is the handler's side of a response.
type answer struct {
	header http.Header
	body   *io.PipeWriter
	once   sync.Once
	status int
	begun  chan struct{}
}

// Header is what goes out with the first byte.
func (w *answer) Header() http.Header { return w.header }

// WriteHeader begins the answer; only the first counts.
func (w *answer) WriteHeader(status int) {
	if status < http.StatusOK {
		return
	}
	w.once.Do(func() {
		w.status = status
		close(w.begun)
	})
}

// Write passes on to the reader.
func (w *answer) Write(b []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	return w.body.Write(b)
}

// Flush has nothing to do: what is written is read.
func (w *answer) Flush() { w.WriteHeader(http.StatusOK) }
