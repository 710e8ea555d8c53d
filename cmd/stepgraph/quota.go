package main

import (
	"cmp"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
)

// parseSize reads a number of bytes, such as 500MB or 20GB; "" is 0.
func parseSize(text string) (int64, error) {
	number, factor := strings.ToUpper(strings.TrimSpace(text)), int64(1)
	if number == "" {
		return 0, nil
	}
	for _, unit := range []struct {
		name  string
		bytes int64
	}{{"KB", 1 << 10}, {"MB", 1 << 20}, {"GB", 1 << 30}, {"TB", 1 << 40}, {"B", 1}} {
		if rest, is := strings.CutSuffix(number, unit.name); is {
			number, factor = strings.TrimSpace(rest), unit.bytes
			break
		}
	}
	n, err := strconv.ParseInt(number, 10, 64)
	if err != nil || n < 0 || n > (1<<62)/factor {
		return 0, fmt.Errorf("%q is not a size: want a number of bytes, or one with KB, MB, GB or TB", text)
	}
	return n * factor, nil
}

// storeFull reports whether an embedded store has reached a size. It looks at the files at most once a
// second: a store may pass its bound by what is written in that time, and by open sessions,
// which go on.
func storeFull(file string, most int64) func() string {
	var mu sync.Mutex
	var looked time.Time
	var size int64
	return func() string {
		mu.Lock()
		defer mu.Unlock()
		if now := time.Now(); now.Sub(looked) > time.Second {
			looked, size = now, 0
			for _, name := range []string{file, file + "-wal"} {
				if info, err := os.Stat(name); err == nil {
					size += info.Size()
				}
			}
		}
		if size < most {
			return ""
		}
		return fmt.Sprintf("%d of %d bytes (--max-store)", size, most)
	}
}

// maxStore is the bound of a store's size as api.Options takes it; nil without one.
func (h *host) maxStore(flag, store string) (func() string, error) {
	most, err := parseSize(cmp.Or(flag, h.env("STEPGRAPH_MAX_STORE"), h.config.MaxStore))
	if err != nil {
		return nil, usagef("--max-store: %s", err)
	}
	if most == 0 {
		return nil, nil
	}
	var full []func() string
	for _, address := range h.config.addresses(store) {
		kind, file, err := kindOfStore(address)
		if err != nil || kind != storeSQLite {
			return nil, usagef("--max-store: only the size of an embedded store is known; limit the size of Neo4j's disk")
		}
		full = append(full, storeFull(file, most))
	}
	return func() string {
		for _, one := range full {
			if why := one(); why != "" {
				return why
			}
		}
		return ""
	}, nil
}
