package hostile

import "golang.org/x/sys/unix"

const (
	arch         = unix.AUDIT_ARCH_AARCH64
	otherNumbers = 0x40000000 // there are none
)

// older are the calls that newer architectures do without.
var older []uint32
