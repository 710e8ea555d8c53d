// Package python runs the scripts of steps in a Python interpreter that is installed on the
// machine: a process of its own for each script, in an empty folder, without environment,
// with bounds on its memory, time, files and processes.
//
// Where Linux lets a process have namespaces of its own, a script has no network and sees no
// other process. Where the kernel has Landlock it reads the interpreter's own folders and the
// system's libraries, and writes its own folder, and no other file; elsewhere it reads and
// writes what the engine's user may. That is why Python is off until an operator names an
// interpreter, and why Starlark is the default.
package python
