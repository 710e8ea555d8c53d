package code

import (
	"errors"
	"strings"

	"go.starlark.net/resolve"
	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

const (
	fileName  = "code"
	maxScript = 100 << 10
	maxDepth  = 2000 // depth of the syntax tree, over which the steps after the parser recurse
)

// dialect enables the features of Starlark that are closest to Python. Recursion stays off.
var dialect = &syntax.FileOptions{Set: true, While: true, TopLevelControl: true, GlobalReassign: true}

// parse reads a script and inserts calls of the guard functions into its syntax tree.
func parse(script string) (*syntax.File, error) {
	if len(script) > maxScript {
		return nil, scriptFault("the script is longer than %d bytes", maxScript)
	}
	file, err := dialect.Parse(fileName, script, 0)
	if err != nil {
		return nil, syntaxFault(script, err)
	}
	t := &transformer{}
	file.Stmts = t.statements(file.Stmts)
	if t.tooDeep {
		return nil, scriptFault("the script nests expressions more than %d deep", maxDepth)
	}
	return file, nil
}

func compile(file *syntax.File, predeclared starlark.StringDict) (*starlark.Program, error) {
	program, err := starlark.FileProgram(file, predeclared.Has)
	var list resolve.ErrorList
	if errors.As(err, &list) {
		return nil, &scriptError{message: list[0].Msg, traceback: list[0].Error()}
	}
	if err != nil {
		return nil, &scriptError{message: err.Error()}
	}
	return program, nil
}

func syntaxFault(script string, err error) error {
	message := err.Error()
	var at syntax.Error
	if errors.As(err, &at) {
		message = at.Msg
	}
	if word := pythonOnly(script); word != "" {
		message += "; scripts are Starlark, which has no " + word + ": Python is off here, rewrite it, or serve it as a remote function"
	}
	return &scriptError{message: message, traceback: err.Error()}
}

// isIdentifier reports whether a variable may have this name in a script.
func isIdentifier(name string) bool {
	for i, c := range name {
		if !(c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || i > 0 && c >= '0' && c <= '9') {
			return false
		}
	}
	return name != "" && !strings.Contains(reserved, " "+name+" ")
}

const reserved = " and as assert async await break class continue def del elif else except finally for from global if import in is lambda load nonlocal not or pass raise return try while with yield None True False "

func assignment(name, value string) syntax.Stmt {
	return &syntax.AssignStmt{Op: syntax.EQ, LHS: &syntax.Ident{Name: name}, RHS: &syntax.Ident{Name: value}}
}
