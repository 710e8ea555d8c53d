//go:build unix

package bench

import (
	"runtime"
	"syscall"
)

// peakRSS is the most memory the process has had, in MB; 0 if the system does not say.
func peakRSS() float64 {
	var usage syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &usage) != nil {
		return 0
	}
	unit := 1024.0 // KB, except on Apple's systems
	if runtime.GOOS == "darwin" || runtime.GOOS == "ios" {
		unit = 1
	}
	return float64(usage.Maxrss) * unit / (1 << 20)
}
