// Package python runs scripts of steps in a Python interpreter of the machine: one process for
// each script, in an empty folder, without environment, with limits on memory, time, files and
// processes.
//
// Where Linux allows namespaces, a script has no network and sees no other process. Where the
// kernel has Landlock, a script can read only the interpreter's folders and the system's
// libraries, and write only its own folder. Elsewhere it has the file permissions of the
// engine's user. For this reason Python is off until the operator names an interpreter, and
// Starlark is the default.
package python
