//go:build !unix

package privatefile

// Lock does nothing: this system has no advisory locks. Two processes that change the file at
// the same moment may lose one change.
func (f *File) Lock() (unlock func() error, err error) { return func() error { return nil }, nil }
