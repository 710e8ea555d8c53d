//go:build !unix

package neo4jserver

import (
	"os"
	"syscall"
)

// terminateSignal is a kill where no gentler signal exists; Neo4j recovers
// from it at its next start.
var terminateSignal = os.Kill

func processAttributes() *syscall.SysProcAttr { return nil }
