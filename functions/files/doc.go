// Package files implements the functions that read and write files: file.read, file.write,
// file.edit, file.list, file.find and file.grep. They access one folder, which the operator
// names; without it they are disabled. The operating system refuses paths that lead out of the
// folder, also through links (os.Root); the text of a path is not relied on.
//
// A file is written to a temporary name and renamed, so readers see it complete or not at all.
// A call may be repeated when its engine dies before the result is durable; the comment of
// each writing function says how a repetition has no further effect.
package files
