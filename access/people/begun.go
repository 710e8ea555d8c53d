package people

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"time"
)

// begun is a sign-in between start and callback. It is in a cookie of the browser, and not in
// the server's memory: anybody may begin one, and a bound on how many the server remembers
// would let a stranger shut everybody else out.
type begun struct {
	State, Nonce, Verifier string
	Until                  time.Time
}

// A sealer encrypts what browsers keep, with a key of this process: a server that restarts
// forgets who is signing in, as it forgets who is signed in.
type sealer struct{ box cipher.AEAD }

func newSealer() *sealer {
	key := make([]byte, 32)
	_, _ = rand.Read(key) // never fails
	block, err := aes.NewCipher(key)
	if err != nil {
		panic("people: " + err.Error()) // the key has the right length
	}
	box, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		panic("people: " + err.Error())
	}
	return &sealer{box}
}

func (s *sealer) seal(one begun) string {
	text, err := json.Marshal(one)
	if err != nil {
		panic("people: " + err.Error()) // texts and a time
	}
	return base64.RawURLEncoding.EncodeToString(s.box.Seal(nil, nil, text, nil))
}

func (s *sealer) open(cookie string) (one begun, err error) {
	sealed, err := base64.RawURLEncoding.DecodeString(cookie)
	if err != nil {
		return one, errors.New("the cookie is none of this server")
	}
	text, err := s.box.Open(nil, nil, sealed, nil)
	if err != nil {
		return one, errors.New("the cookie is none of this server")
	}
	return one, json.Unmarshal(text, &one)
}
