// Package callkey adds the idempotency key of a call to the HTTP requests that the call makes.
package callkey

import "net/http"

// Header is the name as servers know it.
const Header = "Idempotency-Key"

// Set sets the key of a request. net/http sends a request again by itself, unseen, when a kept
// connection ends without an answer and the request has this header: a call would be made twice
// and counted once, although attempts, their retries and what they cost are the engine's to
// decide and to record. It recognises the header by its canonical name alone, so the name is
// written in lower case, which is the same header to a server.
func Set(h http.Header, key string) {
	h.Del(Header)
	h["idempotency-key"] = []string{key}
}
