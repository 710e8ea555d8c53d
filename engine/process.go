package engine

import (
	"fmt"
	"os"
)

// processName names this engine in lease_owner, for people.
func processName() string {
	host, err := os.Hostname()
	if err != nil {
		host = "localhost"
	}
	return fmt.Sprintf("%s/%d", host, os.Getpid())
}
