package api

import (
	"sync"
	"time"
)

// wrongTokens counts wrong tokens by address within a minute.
type wrongTokens struct {
	mu    sync.Mutex
	began time.Time
	of    map[string]int
}

// Delays of wrong tokens: the first few of an address are not delayed, since people mistype; each
// further one takes longer.
const (
	freeTries   = 5
	pausePerTry = 50 * time.Millisecond
	mostCounted = 10_000 // addresses
)

// longestPause is a variable for the test that sends hundreds of wrong tokens.
var longestPause = time.Second

// add counts a wrong token and returns the delay of its answer.
func (w *wrongTokens) add(host string) (n int, pause time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if now := time.Now(); now.Sub(w.began) > time.Minute || len(w.of) > mostCounted {
		w.began, w.of = now, map[string]int{}
	}
	w.of[host]++
	n = w.of[host]
	return n, min(time.Duration(max(0, n-freeTries))*pausePerTry, longestPause)
}

// delay counts a wrong token or code and sleeps as long as the count of its address requires.
func (w *wrongTokens) delay(host string) (n int) {
	n, pause := w.add(host)
	time.Sleep(pause)
	return n
}
