package main

import (
	"crypto/tls"
	"fmt"
	"os"
	"sync"
	"time"
)

// A certificate is read from two files, and again when one of them has changed: a renewal
// needs no restart of the server.
type certificate struct {
	certFile, keyFile string

	mu      sync.Mutex
	looked  time.Time
	changed [2]time.Time
	now     *tls.Certificate
}

// lookEvery is how often the files are looked at, at most.
const lookEvery = time.Second

// openCertificate reads the files; nil where none are named.
func openCertificate(certFile, keyFile string) (*certificate, error) {
	switch {
	case certFile == "" && keyFile == "":
		return nil, nil
	case certFile == "" || keyFile == "":
		return nil, usagef("--tls-cert and --tls-key belong together: give both")
	}
	c := &certificate{certFile: certFile, keyFile: keyFile}
	if _, err := c.get(nil); err != nil {
		return nil, usagef("--tls-cert: %s", err)
	}
	return c, nil
}

// get is tls.Config.GetCertificate. Files that cannot be read now, as while they are being
// replaced, leave the certificate that was read before.
func (c *certificate) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.now != nil && time.Since(c.looked) < lookEvery {
		return c.now, nil
	}
	c.looked = time.Now()
	var changed [2]time.Time
	for i, name := range []string{c.certFile, c.keyFile} {
		if info, err := os.Stat(name); err == nil {
			changed[i] = info.ModTime()
		}
	}
	if c.now != nil && changed == c.changed {
		return c.now, nil
	}
	read, err := tls.LoadX509KeyPair(c.certFile, c.keyFile)
	if err != nil {
		if c.now != nil {
			return c.now, nil
		}
		return nil, fmt.Errorf("certificate %s with key %s: %w", c.certFile, c.keyFile, err)
	}
	c.now, c.changed = &read, changed
	return c.now, nil
}

// config speaks HTTP/1.1 only, as the server does without TLS: its bounds on slow clients go
// by connection.
func (c *certificate) config() *tls.Config {
	return &tls.Config{MinVersion: tls.VersionTLS12, GetCertificate: c.get, NextProtos: []string{"http/1.1"}}
}
