// Package shell holds the function shell: a command or a script of the workflow's own text.
//
// References in it never become part of the program. The engine leaves an identifier where
// a reference stood, and hands its value over apart; here the value goes into an environment
// variable of that name, and the identifier becomes an expansion that is quoted as the place
// needs it. So no value, whoever it came from, is ever read as shell text. Places where even
// a quoted expansion would be evaluated are refused by name: arithmetic, subscripts, ${…},
// [[…]], quoted here-documents, eval and its like, the program text of bash -c or python -c,
// and the name of a command.
//
// What an author does with a value further on is the author's: a variable that holds one and
// is then used in arithmetic, a remote command given to ssh, the input of another
// interpreter.
package shell
