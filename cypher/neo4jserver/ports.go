package neo4jserver

import (
	"fmt"
	"net"
	"strconv"
	"strings"
)

const loopback = "127.0.0.1"

// ports are where one server listens on loopback.
type ports struct{ bolt, http int }

// choosePorts gives the ports asked for, after a look whether they are free,
// and free ones where none is asked for. Another process may take a free port before
// the server does; isPortTaken recognises that case.
func choosePorts(options Options) (ports, error) {
	// Both stay open until both are chosen, or they could be the same one.
	bolt, err := listen(options.BoltPort)
	if err != nil {
		return ports{}, fmt.Errorf("neo4j bolt port: %w", err)
	}
	defer bolt.Close()
	http, err := listen(options.HTTPPort)
	if err != nil {
		return ports{}, fmt.Errorf("neo4j http port: %w", err)
	}
	defer http.Close()
	return ports{portOf(bolt), portOf(http)}, nil
}

func listen(port int) (net.Listener, error) {
	listener, err := net.Listen("tcp4", net.JoinHostPort(loopback, strconv.Itoa(port)))
	if err != nil && port != 0 {
		return nil, fmt.Errorf("%w: stop what uses it, or choose another port", err)
	}
	return listener, err
}

func portOf(listener net.Listener) int { return listener.Addr().(*net.TCPAddr).Port }

// isPortTaken says whether a start failed because another process took a port
// between our look and the server's.
func isPortTaken(err error) bool {
	if err == nil {
		return false
	}
	text := err.Error()
	return strings.Contains(text, "already in use") || strings.Contains(text, "port is already allocated")
}

// server gives the server that answers on these ports.
func (p ports) server(kind string) *Server {
	return &Server{
		URI:        fmt.Sprintf("bolt://%s:%d", loopback, p.bolt),
		BrowserURL: fmt.Sprintf("http://%s:%d/browser/", loopback, p.http),
		Database:   "neo4j",
		Kind:       kind,
	}
}
