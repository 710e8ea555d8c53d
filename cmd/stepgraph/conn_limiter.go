package main

import (
	"net"
	"sync"
)

// A connLimiter is a listener that limits the connections of one address to half of what the
// process can hold, so that one client cannot take all of them and a reverse proxy still has enough.
// A connection beyond the bound is closed at once.
type connLimiter struct {
	net.Listener
	all, each int

	mu    sync.Mutex
	count int
	of    map[string]int
}

// spareFiles are left for the store, models and steps.
const spareFiles = 128

func newConnLimiter(on net.Listener) *connLimiter {
	all := max(openFiles()-spareFiles, 64)
	return &connLimiter{Listener: on, all: all, each: all / 2, of: map[string]int{}}
}

// Accept returns the next connection that there is room for.
func (c *connLimiter) Accept() (net.Conn, error) {
	for {
		conn, err := c.Listener.Accept()
		if err != nil {
			return nil, err
		}
		host, _, err := net.SplitHostPort(conn.RemoteAddr().String())
		if err != nil {
			host = conn.RemoteAddr().String()
		}
		if c.enter(host) {
			return &member{Conn: conn, leave: sync.OnceFunc(func() { c.exit(host) })}, nil
		}
		_ = conn.Close()
	}
}

func (c *connLimiter) enter(host string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.count >= c.all || c.of[host] >= c.each {
		return false
	}
	c.count++
	c.of[host]++
	return true
}

func (c *connLimiter) exit(host string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.count--
	if c.of[host]--; c.of[host] == 0 {
		delete(c.of, host)
	}
}

// A member is a connection that gives its place back.
type member struct {
	net.Conn
	leave func()
}

// Close closes the connection.
func (m *member) Close() error {
	m.leave()
	return m.Conn.Close()
}
