package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"
	"syscall"
	"time"

	"github.com/stepgraph/stepgraph/api"
	"github.com/stepgraph/stepgraph/functions/netguard"
)

// A listener is a bound address and the server on it.
type listener struct {
	net.Listener
	server  *http.Server
	failed  chan error
	scheme  string
	cancel  context.CancelCauseFunc
	release func()         // of netguard.Own
	once    sync.Once      // of close
	closed  error          // what it came to
	work    sync.WaitGroup // requests, WebSockets among them, which the server itself forgets
}

// listen binds an address and begins to serve, https with a certificate. Streams end when
// Close begins.
func listen(addr string, h http.Handler, secured *certificate) (*listener, error) {
	bound, err := net.Listen("tcp", addr)
	if err != nil {
		if errors.Is(err, syscall.EADDRINUSE) {
			return nil, fmt.Errorf("address %s is in use: is stepgraph running already? --addr takes another one (127.0.0.1:0 any free one)", addr)
		}
		return nil, fmt.Errorf("listen on %s: %w", addr, err)
	}
	release := netguard.Own(bound.Addr())
	base, cancel := context.WithCancelCause(context.Background())
	l := &listener{Listener: bound, cancel: cancel, release: release, failed: make(chan error, 1), scheme: "http"}
	l.server = &http.Server{
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			l.work.Add(1)
			defer l.work.Done()
			h.ServeHTTP(w, boundBody(w, r))
		}),
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       2 * time.Minute,
		BaseContext:       func(net.Listener) context.Context { return base },
	}
	accepted := net.Listener(newConnLimiter(bound))
	if secured != nil {
		accepted, l.scheme = tls.NewListener(accepted, secured.config()), "https"
	}
	go func() { l.failed <- l.server.Serve(accepted) }()
	return l, nil
}

// address is where people reach it.
func (l *listener) address() string { return l.scheme + "://" + l.Addr().String() }

// stopWithin is how long requests may take to end when the server stops.
const stopWithin = 5 * time.Second

// finishWithin is how long requests that are under way may finish undisturbed.
const finishWithin = 500 * time.Millisecond

// close stops the server: no new requests, those under way finish; streams, and requests
// that wait for a session, are ended after a moment.
func (l *listener) close() error {
	l.once.Do(func() { l.closed = l.shutDown() })
	return l.closed
}

func (l *listener) shutDown() error {
	defer l.release()
	ctx, cancel := context.WithTimeout(context.Background(), stopWithin)
	defer cancel()
	ending := time.AfterFunc(finishWithin, func() { l.cancel(api.ErrStopping) })
	defer func() { ending.Stop(); l.cancel(api.ErrStopping) }()
	if err := l.server.Shutdown(ctx); err != nil {
		return errors.Join(err, l.server.Close())
	}
	l.cancel(api.ErrStopping)
	l.wait(ctx)
	return nil
}

// wait gives WebSockets the time to say goodbye.
func (l *listener) wait(ctx context.Context) {
	done := make(chan struct{})
	go func() { l.work.Wait(); close(done) }()
	select {
	case <-done:
	case <-ctx.Done():
	}
}

// loopback reports whether only this machine can reach an address.
func loopback(addr string) bool {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return false
	}
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}
