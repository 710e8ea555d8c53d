package process

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"unsafe"

	"golang.org/x/sys/unix"
)

// The Landlock system calls are made here and not by a library: libraries put all threads of a
// process into the domain, which needs signals or cgo. The helper has only one thread to
// restrict, which then executes the command.

// landlockVersion returns the version of the kernel's interface; 0 without Landlock.
var landlockVersion = sync.OnceValue(func() int {
	v, _, fault := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if fault != 0 {
		return 0
	}
	return int(v)
})

// File rights by purpose.
const (
	toList = unix.LANDLOCK_ACCESS_FS_READ_DIR
	toRead = toList | unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_EXECUTE
	// ofFiles are the rights that a rule for a file may contain; other rights apply to
	// folders.
	ofFiles = unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_WRITE_FILE |
		unix.LANDLOCK_ACCESS_FS_TRUNCATE | unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
)

// allRights returns all rights that a version knows. A right that the domain handles and no
// rule grants is refused.
func allRights(version int) uint64 {
	rights := uint64(unix.LANDLOCK_ACCESS_FS_MAKE_SYM)<<1 - 1 // all rights of version 1
	for since, right := range map[int]uint64{2: unix.LANDLOCK_ACCESS_FS_REFER, 3: unix.LANDLOCK_ACCESS_FS_TRUNCATE, 5: unix.LANDLOCK_ACCESS_FS_IOCTL_DEV} {
		if version >= since {
			rights |= right
		}
	}
	return rights
}

// A domain is a Landlock ruleset before a thread enters it.
type domain struct {
	fd      int
	version int
}

// restrict enters a Landlock domain. Whatever its file rules are, a process in a domain cannot
// trace processes outside it, and so cannot read their /proc/PID/environ; cannot send them
// signals (from version 6 on); and cannot mount or unmount.
func (p plan) restrict(version int) error {
	attr := unix.LandlockRulesetAttr{Handled_access_fs: allRights(version)}
	size := unsafe.Sizeof(attr.Handled_access_fs)
	if version >= 6 {
		attr.Scoped = unix.LANDLOCK_SCOPE_SIGNAL | unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET
		size = unsafe.Offsetof(attr.Scoped) + unsafe.Sizeof(attr.Scoped)
	}
	fd, _, fault := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&attr)), size, 0)
	if fault != 0 {
		return fmt.Errorf("landlock: %w", fault)
	}
	defer unix.Close(int(fd))
	d := domain{int(fd), version}
	if err := d.rules(p); err != nil {
		return err
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	if _, _, fault := unix.Syscall(unix.SYS_LANDLOCK_RESTRICT_SELF, fd, 0, 0); fault != 0 {
		return fmt.Errorf("landlock: %w", fault)
	}
	return nil
}

// devices lists the device files that every program expects.
var devices = []string{"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"}

func (d domain) rules(p plan) error {
	switch {
	case p.Read != nil:
		return errors.Join(d.allow(toRead, p.Read...), d.allow(allRights(d.version), p.Write...), d.allow(allRights(d.version), devices...))
	case p.Namespaces || len(p.Hide) == 0: // hidden paths are covered by mounts
		return d.allow(allRights(d.version), "/")
	}
	return d.allowAllBut(p.Hide)
}

// allow grants rights on paths and everything below them. Missing paths are skipped.
func (d domain) allow(rights uint64, paths ...string) error {
	for _, path := range paths {
		fd, err := unix.Open(path, unix.O_PATH|unix.O_CLOEXEC, 0)
		if err != nil {
			continue // the command cannot access it either
		}
		var info unix.Stat_t
		err = unix.Fstat(fd, &info)
		rule := unix.LandlockPathBeneathAttr{Allowed_access: rights & allRights(d.version), Parent_fd: int32(fd)}
		if info.Mode&unix.S_IFMT != unix.S_IFDIR {
			rule.Allowed_access &= ofFiles
		}
		if err == nil && rule.Allowed_access != 0 {
			_, _, fault := unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, uintptr(d.fd), unix.LANDLOCK_RULE_PATH_BENEATH, uintptr(unsafe.Pointer(&rule)), 0, 0, 0)
			if fault != 0 {
				err = fmt.Errorf("landlock: %s: %w", path, fault)
			}
		}
		unix.Close(fd)
		if err != nil {
			return err
		}
	}
	return nil
}

// allowAllBut grants access to everything except the hidden paths. A Landlock rule cannot
// exclude a path below it, so the entries of each folder above a hidden path get rules one by
// one, and the folder itself can only be listed. As a consequence, no new entry can be created
// directly in such a folder.
func (d domain) allowAllBut(hidden []string) error {
	above, gone := map[string]bool{}, map[string]bool{}
	for _, path := range hidden {
		gone[path] = true
		for dir := filepath.Dir(path); !above[dir]; dir = filepath.Dir(dir) {
			above[dir] = true
		}
	}
	for dir := range above {
		if err := d.allow(toList, dir); err != nil {
			return err
		}
		entries, err := os.ReadDir(dir)
		if err != nil {
			continue // a folder that cannot be listed stays closed
		}
		for _, e := range entries {
			path := filepath.Join(dir, e.Name())
			if above[path] || gone[path] || e.Type()&os.ModeSymlink != 0 {
				continue
			}
			if err := d.allow(allRights(d.version), path); err != nil {
				return err
			}
		}
	}
	return nil
}
