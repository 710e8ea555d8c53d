package client

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
)

// InProcess returns a client of a handler in this process: the same answers as over a
// network, without one. e is the engine behind the handler, or nil.
func InProcess(h http.Handler, e Engine) *Client {
	life, end := context.WithCancelCause(context.Background())
	t := &handlerTransport{h: h, life: life}
	return newClient(&connection{engine: e, base: "http://in-process", http: &http.Client{Transport: t}, leave: func() {
		end(errGone)
		t.serving.Wait()
	}})
}

// Leave ends what the handler of a client in this process still does for it, such as a stream
// whose reader has gone, and returns when it is done: then what the handler uses can be
// closed. Of a client over a network it does nothing.
func (c *connection) Leave() {
	if c.leave != nil {
		c.leave()
	}
}

// handlerTransport carries requests to a handler. Streams arrive as they are written.
type handlerTransport struct {
	h       http.Handler
	life    context.Context // of the client
	serving sync.WaitGroup
}

// RoundTrip calls the handler and returns once it has begun to answer.
func (t *handlerTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancelCause(r.Context())
	served := r.Clone(ctx)
	if served.Body == nil {
		served.Body = http.NoBody
	}
	served.RequestURI = r.URL.RequestURI()
	served.Host = r.URL.Host
	body, to := io.Pipe()
	stop := context.AfterFunc(t.life, func() {
		cancel(errGone)
		body.CloseWithError(errGone)
	})
	w := &answer{header: http.Header{}, body: to, begun: make(chan struct{})}
	t.serving.Go(func() {
		defer stop()
		defer cancel(nil)
		defer func() {
			err := io.EOF
			if fault := recover(); fault != nil {
				err = fmt.Errorf("the handler panicked: %v", fault)
			}
			w.WriteHeader(http.StatusOK)
			to.CloseWithError(err)
		}()
		t.h.ServeHTTP(w, served)
	})
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
