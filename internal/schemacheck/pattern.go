package schemacheck

import (
	"fmt"
	"regexp"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/stepgraph/stepgraph/internal/regexcost"
)

// A pattern is a regular expression of a schema whose matches are counted as work. Go's
// expressions take time in proportion to the text and to their own size. Without a count a
// schema of 256 KB and an answer of 1 MB took minutes, however few subschemas there are.
type pattern struct {
	*regexp.Regexp
	size int // of its program
	of   *form
}

// perWork is how many steps of a pattern cost as much as entering a subschema. At this rate
// MaxWork is a few seconds.
const perWork = 400

// maxPrograms is how many instructions the patterns of a schema may have together; each takes
// 40 bytes.
const maxPrograms = 200_000

// pattern compiles an expression for this form.
func (f *form) pattern(text string) (jsonschema.Regexp, error) {
	size, err := regexcost.Of(text)
	if err != nil {
		return nil, err
	}
	if f.programs += size; f.programs > maxPrograms {
		return nil, fmt.Errorf("the patterns of the schema are too large together, write smaller numbers of repetitions")
	}
	compiled, err := regexp.Compile(text)
	if err != nil {
		return nil, err
	}
	return &pattern{compiled, max(size, 1), f}, nil
}

// MatchString stops the check when its work is used up.
func (p *pattern) MatchString(text string) bool {
	// Before the match: one alone can take longer than all that is left.
	if p.of.left -= len(text) * p.size / perWork; p.of.left < 0 {
		panic(errTooMuchWork)
	}
	return p.Regexp.MatchString(text)
}
