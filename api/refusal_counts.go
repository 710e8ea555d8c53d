package api

import (
	"net/http"
	"sync"
	"time"
)

// refusalCounts bounds what refused requests write: of equal ones within a minute the 1st,
// 10th, 100th and so on leave an entry, with their number. Otherwise a client without
// a token could make the store grow.
type refusalCounts struct {
	mu    sync.Mutex
	began time.Time
	of    map[string]int64
}

// count returns the number of a refusal if it is to be recorded, else 0.
func (c *refusalCounts) count(key string, status int) int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	if now := time.Now(); now.Sub(c.began) > time.Minute || len(c.of) > mostCounted {
		c.began, c.of = now, map[string]int64{}
	}
	key += " " + http.StatusText(status)
	c.of[key]++
	for n := int64(1); n <= c.of[key]; n *= 10 {
		if n == c.of[key] {
			return n
		}
	}
	return 0
}
