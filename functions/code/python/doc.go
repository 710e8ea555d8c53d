// Package python runs the scripts of steps in a Python interpreter that is installed on the
// machine: a process of its own for each script, in an empty folder, without environment,
// with bounds on its memory, time, files and processes.
//
// Where Linux lets a process have namespaces of its own, it has no network and sees no other
// process. It does read what files the engine's user may read: whoever allows Python to
// people they do not trust gives the engine a user of its own. That is why Python is off
// until an operator names an interpreter, and why Starlark is the default.
package python
