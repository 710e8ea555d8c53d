package hostile

import "golang.org/x/sys/unix"

const (
	arch         = unix.AUDIT_ARCH_X86_64
	otherNumbers = 0x40000000 // those of x32, by which the same calls could be made
)

// older are the calls that newer architectures do without.
var older = []uint32{
	unix.SYS_FORK, unix.SYS_VFORK, unix.SYS_OPEN, unix.SYS_CREAT, unix.SYS_UNLINK, unix.SYS_RMDIR, unix.SYS_RENAME, unix.SYS_MKDIR, unix.SYS_MKNOD, unix.SYS_LINK, unix.SYS_SYMLINK,
	unix.SYS_CHMOD, unix.SYS_CHOWN, unix.SYS_LCHOWN, unix.SYS_UTIME, unix.SYS_UTIMES, unix.SYS_FUTIMESAT,
}
