//go:build !linux || (!amd64 && !arm64)

package hostile

import (
	"runtime"
	"time"
)

const confined = ""

func whyNot() string {
	return "a process can be kept from system calls on Linux (amd64, arm64) only, not on " + runtime.GOOS + " " + runtime.GOARCH
}

func confine() error { return nil }

func bound(uint64) error { return nil }

func processorTime() time.Duration { return 0 }
