package shell

import (
	"fmt"
	"regexp"
	"strings"
)

var invoking = regexp.MustCompile(`(?i)\b(iex|invoke-expression|add-type)\b|\[scriptblock\]`)

// bindPowerShell replaces identifiers by environment variables, whose values PowerShell never
// parses as program text. Single quotes around an identifier become double quotes, in which
// variables expand.
func bindPowerShell(text string, names map[string]bool) (string, error) {
	if word := invoking.FindString(text); word != "" && len(names) > 0 {
		return "", fmt.Errorf("%s reads texts as programs: a text with references cannot have it", word)
	}
	b := binder{text: text, names: names, stack: []frame{{}}}
	inDouble := false
	for b.at < len(b.text) {
		if name := b.identifier(); name != "" {
			if before := strings.TrimRight(b.text[:b.at], " \t"); !inDouble && strings.HasSuffix(before, "&") {
				return "", fmt.Errorf("a reference stands where the name of a command stands: values are no programs")
			}
			b.out.WriteString("${env:" + name + "}")
			b.at += len(name)
			continue
		}
		switch {
		case b.has("`"):
			if err := b.escaped(); err != nil {
				return "", err
			}
		case b.has(`"`):
			inDouble = !inDouble
			b.take(1)
		case b.has("@'") && !inDouble:
			if err := b.hereString(); err != nil {
				return "", err
			}
		case b.has("'") && !inDouble:
			b.inSingle()
		default:
			b.take(1)
		}
	}
	return b.out.String(), nil
}

// inSingle copies '…', in double quotes if it contains a reference.
func (b *binder) inSingle() {
	var plain, double strings.Builder
	holds := false
	b.at++
	for b.at < len(b.text) {
		if name := b.identifier(); name != "" {
			holds = true
			double.WriteString("${env:" + name + "}")
			b.at += len(name)
			continue
		}
		c := b.text[b.at]
		b.at++
		if c == '\'' && !b.has("'") {
			break
		}
		plain.WriteByte(c)
		switch c {
		case '\'': // two of them stand for one
			b.at++
			plain.WriteByte('\'')
		case '"', '$', '`':
			double.WriteByte('`')
		}
		double.WriteByte(c)
	}
	if holds {
		b.out.WriteString(`"` + double.String() + `"`)
		return
	}
	b.out.WriteString("'" + plain.String() + "'")
}

// hereString copies @'…'@, in which nothing is replaced.
func (b *binder) hereString() error {
	b.take(2)
	for b.at < len(b.text) && !b.has("\n'@") {
		if b.identifier() != "" {
			return fmt.Errorf(`a reference stands in @'…'@, where nothing is replaced; use @"…"@`)
		}
		b.take(1)
	}
	b.take(3)
	return nil
}
