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

// The calls of Landlock are made here and not by a library: libraries put all threads of a
// process into the domain, which needs signals or cgo, and the helper's one thread is about
// to become another program.

// landlockVersion is that of the kernel's interface; 0 without Landlock.
var landlockVersion = sync.OnceValue(func() int {
	v, _, fault := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if fault != 0 {
		return 0
	}
	return int(v)
})

// Rights over files, by what they are good for.
const (
	toList = unix.LANDLOCK_ACCESS_FS_READ_DIR
	toRead = toList | unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_EXECUTE
	// ofFiles are the rights that a rule for something other than a folder may have.
	ofFiles = unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_WRITE_FILE |
		unix.LANDLOCK_ACCESS_FS_TRUNCATE | unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
)

// allRights are those that a version knows. What the domain handles and no rule gives is
// refused.
func allRights(version int) uint64 {
	rights := uint64(unix.LANDLOCK_ACCESS_FS_MAKE_SYM)<<1 - 1 // all of version 1
	for since, right := range map[int]uint64{2: unix.LANDLOCK_ACCESS_FS_REFER, 3: unix.LANDLOCK_ACCESS_FS_TRUNCATE, 5: unix.LANDLOCK_ACCESS_FS_IOCTL_DEV} {
		if version >= since {
			rights |= right
		}
	}
	return rights
}

// A domain is a set of rules that a thread enters.
type domain struct {
	fd      int
	version int
}

// restrict enters a Landlock domain. From inside no process outside can be traced, so that its
// /proc/PID/environ and the like cannot be read, none can be sent signals (from version 6
// on), and no mount can be made or taken away, whatever the rules for files say.
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

// devices are files that every program expects to be there.
var devices = []string{"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"}

func (d domain) rules(p plan) error {
	switch {
	case p.Read != nil:
		return errors.Join(d.allow(toRead, p.Read...), d.allow(allRights(d.version), p.Write...), d.allow(allRights(d.version), devices...))
	case p.Namespaces || len(p.Hide) == 0: // what is hidden is mounted over
		return d.allow(allRights(d.version), "/")
	}
	return d.allowAllBut(p.Hide)
}

// allow opens paths and what is below them; what is not there needs no rule.
func (d domain) allow(rights uint64, paths ...string) error {
	for _, path := range paths {
		fd, err := unix.Open(path, unix.O_PATH|unix.O_CLOEXEC, 0)
		if err != nil {
			continue // nor can the command get there
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

// allowAllBut opens everything but some paths. Landlock has no rule that takes away: the
// entries of each folder above a hidden path are opened one by one, and the folder itself can
// only be listed. So nothing new can be made directly in such a folder.
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
			continue // what cannot be listed stays closed
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
