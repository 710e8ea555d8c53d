// Package shell implements the function shell: it runs a command or a script from the text of
// the workflow.
//
// References in it never become program text. The engine replaces each reference by an
// identifier and passes the value separately. This package puts the value into an environment
// variable of that name and replaces the identifier by an expansion that is quoted for its
// position, so a value is never interpreted as shell text. Positions where even a quoted
// expansion is evaluated are refused with an error: arithmetic, subscripts, ${…}, [[…]],
// quoted here-documents, eval and similar commands, the program text of bash -c or python -c,
// and the name of a command.
//
// What the script does with the value afterwards is the author's responsibility: a variable
// that is later used in arithmetic, a remote command given to ssh, the input of another
// interpreter.
package shell
