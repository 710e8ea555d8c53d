package shell

import (
	"regexp"
	"strings"
)

// integers matches declarations that make a variable an integer. Every later assignment to it
// is evaluated as arithmetic, including command substitutions.
var integers = regexp.MustCompile(`\b(declare|typeset|local|export|readonly)[ \t]+(-[A-Za-z]*[ \t]+)*-[A-Za-z]*i[A-Za-z]*\b|\binteger[ \t]+[A-Za-z_]`)

// Commands of the shell by what they do to their arguments.
var (
	// evaluating commands read an argument as program text or as a variable name, which may
	// contain a subscript.
	evaluating = words("eval let source . unset trap alias read mapfile readarray getopts")
	// assigning commands evaluate the text before = as a variable name.
	assigning = words("declare typeset local export readonly")
	// prefixes are words that precede the command itself.
	prefixes = words("if then elif else while until do ! { time command builtin exec env nohup nice sudo")
	// shells and interpreters read the argument after -c or -e as program text.
	interpreters = words("sh bash dash zsh ksh ash busybox python python2 python3 perl ruby node php lua pwsh powershell")
	// editors read their first non-option argument as program text.
	editors = words("awk gawk mawk nawk sed gsed")
)

var (
	assignment = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*\+?=`)
	program    = regexp.MustCompile(`^(-[A-Za-z]*[ceEr]|--eval|--print|-Command|-command)$`)
)

func words(text string) map[string]bool {
	all := map[string]bool{}
	for _, word := range strings.Fields(text) {
		all[word] = true
	}
	return all
}

// evaluates describes the position of a reference that follows begun, the beginning of a
// simple command, if its value would be interpreted there as more than a plain value; else "".
func evaluates(begun string) string {
	complete, current := split(begun)
	for len(complete) > 0 && (prefixes[complete[0]] || assignment.MatchString(complete[0]) || strings.HasPrefix(complete[0], "-") && len(complete) > 1) {
		complete = complete[1:]
	}
	if len(complete) == 0 {
		if assignment.MatchString(current) || strings.ContainsAny(current, "<>") {
			return ""
		}
		return "where the name of a command stands: values are no programs"
	}
	command, last := base(complete[0]), complete[len(complete)-1]
	switch {
	case strings.Trim(last, "<>&0123456789") == "" && strings.ContainsAny(last, "<>"): // the target of a redirection
		if interpreters[command] && last == "<<<" && reads(complete) {
			return inProgram(command)
		}
		return ""
	case evaluating[command]:
		return "in an argument of " + command + ", which evaluates it"
	case assigning[command] && !strings.Contains(current, "="):
		return "where " + command + " wants the name of a variable"
	case (command == "printf" || command == "test" || command == "[") && last == "-v":
		return "where " + command + " -v wants the name of a variable"
	case program.MatchString(last) && interpreters[before(complete)]:
		return inProgram(before(complete))
	case editors[command] && last != "-v" && last != "-F" && before(append(complete, "-")) == command:
		return inProgram(command)
	}
	return ""
}

// evaluatesDocument does the same for a reference in a here-document of a command.
func evaluatesDocument(begun string) string {
	complete, _ := split(begun + " ")
	for len(complete) > 0 && (prefixes[complete[0]] || assignment.MatchString(complete[0])) {
		complete = complete[1:]
	}
	if len(complete) == 0 || !interpreters[base(complete[0])] || !reads(complete) {
		return ""
	}
	return inProgram(base(complete[0]))
}

func inProgram(command string) string {
	return "in program text of " + command + `: hand the value over as an argument, as in bash -c 'echo "$1"' _ VALUE, or in env`
}

// before returns the last non-option word of a command, not counting its last word.
func before(complete []string) string {
	for i := len(complete) - 2; i >= 0; i-- {
		if !strings.HasPrefix(complete[i], "-") {
			return base(complete[i])
		}
	}
	return ""
}

// reads reports whether an interpreter reads its program from standard input, because it has
// neither a file nor a program argument.
func reads(complete []string) bool {
	for _, word := range complete[1:] {
		switch {
		case strings.ContainsAny(word, "<>"):
			return true
		case word == "-" || word == "-s":
			return true
		case program.MatchString(word), !strings.HasPrefix(word, "-"):
			return false
		}
	}
	return true
}

// split splits a command into words, respecting quotes; the last word is incomplete.
func split(text string) (complete []string, current string) {
	start, quote := -1, byte(0)
	for i := range len(text) {
		c := text[i]
		switch {
		case quote != 0:
			if c == quote {
				quote = 0
			}
			continue
		case c == '\'' || c == '"':
			quote = c
		case c == ' ' || c == '\t' || c == '\n':
			if start >= 0 {
				complete, start = append(complete, text[start:i]), -1
			}
			continue
		}
		if start < 0 {
			start = i
		}
	}
	if start >= 0 {
		current = text[start:]
	}
	return complete, current
}

// base returns the name of a command without folder and quotes.
func base(command string) string {
	command = strings.Trim(command, `'"\`)
	return command[strings.LastIndexByte(command, '/')+1:]
}
