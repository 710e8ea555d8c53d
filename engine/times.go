package engine

import "time"

// milli is a time of the state; 0 is the zero time.
func milli(ms int64) time.Time {
	if ms == 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms).UTC()
}
