// Package hostile holds no code of the product. Its tests keep a promise of every format:
// loading a file is inert. Thousands of files that were made to do harm are loaded,
// validated, stored and written back in a process that the kernel ends as soon as it starts a
// program, opens a socket or touches a file, and none of them may bring it down by other
// means either.
package hostile
