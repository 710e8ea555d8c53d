package vault

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/stepgraph/stepgraph/internal/privatefile"
)

const keyLength = 32 // AES-256

// sealed is a secret as the file has it: its value encrypted with AES-GCM under the
// key file, bound to its name, so that it cannot be put under another one.
type sealed struct {
	Secret
	Sealed []byte `json:"sealed"` // nonce and ciphertext
}

func (v *Vault) seal(name, value string, s Secret) (sealed, error) {
	box, err := v.box(true)
	if err != nil {
		return sealed{}, err
	}
	nonce := make([]byte, box.NonceSize())
	if _, err := rand.Read(nonce); err != nil {
		return sealed{}, err
	}
	return sealed{s, box.Seal(nonce, nonce, []byte(value), []byte(name))}, nil
}

func (v *Vault) unseal(name string, s sealed) (string, error) {
	box, err := v.box(false)
	if err != nil {
		return "", fmt.Errorf("secret %s: %w", name, err)
	}
	if len(s.Sealed) < box.NonceSize() {
		return "", fmt.Errorf("secret %s: what is stored is not a secret; set it again", name)
	}
	nonce, text := s.Sealed[:box.NonceSize()], s.Sealed[box.NonceSize():]
	value, err := box.Open(nil, nonce, text, []byte(name))
	if err != nil {
		return "", fmt.Errorf("secret %s: %s is not the key that it was stored with; bring that key back, or set the secret again", name, v.keyFile())
	}
	return string(value), nil
}

func (v *Vault) keyFile() string { return v.options.File + ".key" }

// box reads the key; create makes one where there is none.
func (v *Vault) box(create bool) (cipher.AEAD, error) {
	key, err := v.key(create)
	if err != nil {
		return nil, err
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	return cipher.NewGCM(block)
}

// memoryKey is the key of vaults without a file, whose secrets never leave the process.
var memoryKey = func() []byte {
	key := make([]byte, keyLength)
	_, _ = rand.Read(key) // which never fails
	return key
}()

func (v *Vault) key(create bool) ([]byte, error) {
	if v.options.File == "" {
		return memoryKey, nil
	}
	_, err := os.Stat(v.keyFile())
	switch {
	case errors.Is(err, fs.ErrNotExist) && create:
		return v.newKey()
	case err != nil:
		return nil, err
	}
	if err := privatefile.CheckMode(v.keyFile()); err != nil {
		return nil, err
	}
	text, err := os.ReadFile(v.keyFile())
	if err != nil {
		return nil, err
	}
	key, err := base64.StdEncoding.DecodeString(strings.TrimSpace(string(text)))
	if err != nil || len(key) != keyLength {
		return nil, fmt.Errorf("%s is not a key: want %d bytes in base64", v.keyFile(), keyLength)
	}
	return key, nil
}

// MakeKey makes the key where there is none, before the first secret needs it. Programs of
// steps are kept from files that are there when they start: one that waits until the first
// secret is stored would read a key that is made then.
func (v *Vault) MakeKey() error {
	if v.options.File == "" {
		return nil
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	unlock, err := v.file.Lock()
	if err != nil {
		return err
	}
	_, err = v.key(true)
	return errors.Join(err, unlock())
}

// newKey makes the key file. It is never written over: a key that is lost cannot be had
// again.
func (v *Vault) newKey() ([]byte, error) {
	key := make([]byte, keyLength)
	if _, err := rand.Read(key); err != nil {
		return nil, err
	}
	file := privatefile.File{Name: v.keyFile()}
	return key, file.Replace([]byte(base64.StdEncoding.EncodeToString(key) + "\n"))
}
