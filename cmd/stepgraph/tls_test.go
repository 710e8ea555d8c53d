package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// certify writes a certificate with a serial number, and its key.
func certify(t *testing.T, dir string, serial int64) (cert, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(serial), Subject: pkix.Name{CommonName: "test"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true}
	made, err := x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private)
	if err != nil {
		t.Fatal(err)
	}
	keyBytes, err := x509.MarshalECPrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	cert, key = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	for name, block := range map[string]*pem.Block{cert: {Type: "CERTIFICATE", Bytes: made}, key: {Type: "EC PRIVATE KEY", Bytes: keyBytes}} {
		if err := os.WriteFile(name, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return cert, key
}

// TestTLS: the server speaks https, and takes a renewed certificate without a restart.
func TestTLS(t *testing.T) {
	dir := t.TempDir()
	cert, key := certify(t, dir, 1)
	s := serveHere(t, nil, "serve", "--store", "memory", "--addr", "127.0.0.1:0", "--tls-cert", cert, "--tls-key", key, "--dir", dir, "-o", "json")
	if !strings.HasPrefix(s.address, "https://") {
		t.Fatalf("address %s", s.address)
	}
	serial := func() int64 {
		t.Helper()
		// The certificate is its own authority and is compared by number.
		client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, DisableKeepAlives: true}}
		response, err := client.Get(s.address + "/healthz")
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		return response.TLS.PeerCertificates[0].SerialNumber.Int64()
	}
	if got := serial(); got != 1 {
		t.Fatalf("certificate %d", got)
	}
	certify(t, dir, 2)
	for deadline := time.Now().Add(patience); serial() != 2; time.Sleep(50 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the renewed certificate is not served")
		}
	}
	for _, args := range [][]string{{"--tls-cert", cert}, {"--tls-cert", filepath.Join(dir, "none"), "--tls-key", key}} {
		if got := invoke(t, "", nil, append([]string{"serve", "--store", "memory", "--addr", "127.0.0.1:0", "--dir", dir}, args...)...); got.code != 2 || !strings.Contains(got.err, "--tls-") {
			t.Errorf("%v: exit %d: %s", args, got.code, got.err)
		}
	}
}

// TestTLSIsRenewedInUse: while twenty clients connect anew all the time, certificate and key are
// replaced one after the other, so that for a while they do not fit each other: no connection
// fails, and those that are open go on.
func TestTLSIsRenewedInUse(t *testing.T) {
	dir, next := t.TempDir(), t.TempDir()
	cert, key := certify(t, dir, 1)
	s := serveHere(t, nil, "serve", "--store", "memory", "--addr", "127.0.0.1:0", "--tls-cert", cert, "--tls-key", key, "--dir", dir, "-o", "json")
	ask := func(client *http.Client) (int64, error) {
		response, err := client.Get(s.address + "/healthz")
		if err != nil {
			return 0, err
		}
		_, err = io.Copy(io.Discard, response.Body)
		return response.TLS.PeerCertificates[0].SerialNumber.Int64(), errors.Join(err, response.Body.Close())
	}
	client := func(keep bool) *http.Client { // the certificate is its own authority and is compared by number
		return &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, DisableKeepAlives: !keep, MaxConnsPerHost: 1}}
	}
	open := client(true)
	if _, err := ask(open); err != nil {
		t.Fatal(err)
	}
	stop := make(chan struct{})
	var work sync.WaitGroup
	var served sync.Map
	for range 20 {
		work.Go(func() {
			for c := client(false); ; {
				select {
				case <-stop:
					return
				default:
				}
				serial, err := ask(c)
				if err != nil {
					t.Error(err)
					return
				}
				served.Store(serial, true)
			}
		})
	}
	newCert, newKey := certify(t, next, 2)
	replace := func(from, to string) {
		text, err := os.ReadFile(from)
		if err == nil {
			err = os.WriteFile(to, text, 0o600)
		}
		if err != nil {
			t.Error(err)
		}
	}
	replace(newCert, cert)
	time.Sleep(2 * lookEvery) // it is looked at while key and certificate do not fit
	replace(newKey, key)
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		if _, ok := served.Load(int64(2)); ok {
			break
		}
	}
	close(stop)
	work.Wait()
	if _, ok := served.Load(int64(2)); !ok {
		t.Error("the renewed certificate is not served")
	}
	if serial, err := ask(open); err != nil || serial != 1 {
		t.Errorf("the open connection: certificate %d, %v", serial, err)
	}
}

func TestMaxStore(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "s.db")
	if err := os.WriteFile(file, make([]byte, 100), 0o600); err != nil {
		t.Fatal(err)
	}
	if full := storeFull(file, 100)(); full == "" {
		t.Error("a store at its bound is not full")
	}
	if full := storeFull(file, 101)(); full != "" {
		t.Errorf("below the bound: %s", full)
	}
	for text, want := range map[string]int64{"": 0, "7": 7, "2KB": 2048, "20 gb": 20 << 30, "1TB": 1 << 40} {
		if got, err := parseSize(text); err != nil || got != want {
			t.Errorf("%q is %d, %v", text, got, err)
		}
	}
	for _, text := range []string{"-1", "x", "1.5GB", "9999999999TB"} {
		if _, err := parseSize(text); err == nil {
			t.Errorf("%q is taken", text)
		}
	}
	if got := invoke(t, "", nil, "serve", "--store", "memory", "--addr", "127.0.0.1:0", "--max-store", "1GB", "--dir", dir); got.code != 2 || !strings.Contains(got.err, "--max-store") {
		t.Errorf("exit %d: %s", got.code, got.err)
	}
}
