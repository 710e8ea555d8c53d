package code

import "regexp"

// pythonWords lists features that Python has and Starlark does not, as they show in a script
// that does not parse.
var pythonWords = []struct {
	pattern *regexp.Regexp
	word    string
}{
	{regexp.MustCompile(`(?m)^\s*(import|from)\s+[\w.]+`), "import"},
	{regexp.MustCompile(`(?m)^\s*try\s*:`), "try"},
	{regexp.MustCompile(`(?m)^\s*raise\b`), "raise"},
	{regexp.MustCompile(`(?m)^\s*class\s+\w+`), "class"},
	{regexp.MustCompile(`(?m)^\s*(async\s+)?with\s.*:\s*$`), "with"},
	{regexp.MustCompile(`(?m)^\s*(assert|del|global|nonlocal)\s`), "assert, del, global or nonlocal"},
	{regexp.MustCompile(`\byield\b`), "yield"},
	{regexp.MustCompile(`\b[fF][rR]?["']`), `f"..." text (use "{}".format(x) or "%s" % x)`},
	{regexp.MustCompile(`\bis\s+(not\s+)?(None|True|False)\b`), "is (use ==)"},
	{regexp.MustCompile(`(?m)^\s*def\s+\w+\(.*(:\s*\w+.*\)|\)\s*->)`), "types of parameters"},
	{regexp.MustCompile(`:=`), ":="},
	{regexp.MustCompile(`\*\*\s*\w`), "**"},
	{regexp.MustCompile(`(?m)^\w+\s*:\s*\w+(\[.*\])?\s*=`), "types of variables"},
}

// pythonOnly returns the feature that makes a script look like Python, or "".
func pythonOnly(script string) string {
	for _, p := range pythonWords {
		if p.pattern.MatchString(script) {
			return p.word
		}
	}
	return ""
}
