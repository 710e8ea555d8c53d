package schemacheck

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

const (
	// MaxText is the longest schema that is read, in bytes.
	MaxText = 256 << 10
	// MaxWork is how many subschemas one check may enter, and patterns cost as much as they
	// take time. A large answer against a large form needs some thousands.
	MaxWork = 250_000
	// MaxDepth is how deep objects and lists of a schema may stand in one another. Compiling
	// takes the cube of it, so that a schema of 40 KB could take minutes.
	MaxDepth = 200

	location  = "mem:///schema"
	cacheSize = 512
)

// A Schema is a compiled JSON Schema. It is safe for concurrent use.
type Schema struct {
	text []byte
	// pool holds compiled forms. The library gives its keywords no place for the state of
	// one check, so each check takes a form of its own, with its own counter.
	pool sync.Pool
}

// form is one compiled schema and the work left for the check that uses it.
type form struct {
	schema   *jsonschema.Schema
	left     int
	programs int // size of its patterns, of which the library compiles each more than once
}

var errTooMuchWork = errors.New("too much work")

var cache = struct {
	sync.Mutex
	schemas map[[sha256.Size]byte]*Schema
}{schemas: map[[sha256.Size]byte]*Schema{}}

// Compile reads a schema: draft 2020-12 unless its $schema names another, formats are
// asserted, $ref may lead only into the text itself. A text seen lately costs nothing.
// The error says what is wrong with the schema.
func Compile(text []byte) (*Schema, error) {
	key := sha256.Sum256(text)
	cache.Lock()
	known := cache.schemas[key]
	cache.Unlock()
	if known != nil {
		return known, nil
	}
	s := &Schema{text: bytes.Clone(text)}
	first, err := s.compile()
	if err != nil {
		return nil, err
	}
	s.pool.Put(first)
	cache.Lock()
	defer cache.Unlock()
	for old := range cache.schemas { // the map's order is as good as any
		if len(cache.schemas) < cacheSize {
			break
		}
		delete(cache.schemas, old)
	}
	cache.schemas[key] = s
	return s, nil
}

func (s *Schema) compile() (f *form, err error) {
	defer func() {
		if fault := recover(); fault != nil {
			f, err = nil, fmt.Errorf("schema: cannot be used: %v", fault)
		}
	}()
	if len(s.text) > MaxText {
		return nil, fmt.Errorf("schema: %d bytes are too long, at most %d", len(s.text), MaxText)
	}
	document, err := decode(s.text)
	if err != nil {
		return nil, fmt.Errorf("schema: %w", err)
	}
	if deeper(document, MaxDepth) {
		return nil, fmt.Errorf("schema: nested more than %d levels deep: name parts of it in $defs and refer to them", MaxDepth)
	}
	if word := dynamic(document); word != "" {
		return nil, fmt.Errorf("schema: %s is not supported, use $ref", word)
	}
	f = &form{left: MaxWork}
	compiler := jsonschema.NewCompiler()
	compiler.UseRegexpEngine(f.pattern)
	compiler.DefaultDraft(jsonschema.Draft2020)
	compiler.AssertFormat()
	compiler.UseLoader(noLoader{})
	if err := compiler.AddResource(location, document); err != nil {
		return nil, fmt.Errorf("schema: %w", err)
	}
	compiled, err := compiler.Compile(location)
	if err != nil {
		return nil, compileError(err)
	}
	f.schema = compiled
	f.meter()
	return f, nil
}

// compileError is the library's error without the address we made up.
func compileError(err error) error {
	var invalid *jsonschema.SchemaValidationError
	if errors.As(err, &invalid) {
		var why *jsonschema.ValidationError
		if errors.As(invalid.Err, &why) {
			var lines []string
			for _, f := range faults(why) {
				lines = append(lines, f.String())
			}
			return fmt.Errorf("schema: %s", strings.Join(lines, "; "))
		}
	}
	return fmt.Errorf("schema: %s", strings.ReplaceAll(err.Error(), location, ""))
}

// deeper reports whether objects and lists stand in one another deeper than a limit.
func deeper(v any, limit int) bool {
	if limit < 0 {
		return true
	}
	switch v := v.(type) {
	case map[string]any:
		for _, e := range v {
			if deeper(e, limit-1) {
				return true
			}
		}
	case []any:
		for _, e := range v {
			if deeper(e, limit-1) {
				return true
			}
		}
	}
	return false
}

// dynamic returns the first keyword in v whose target is only known during a check, where
// our counter would not see it; "" if there is none.
func dynamic(v any) string {
	switch v := v.(type) {
	case map[string]any:
		for k, e := range v {
			if k == "$dynamicRef" || k == "$recursiveRef" {
				return k
			}
			if word := dynamic(e); word != "" {
				return word
			}
		}
	case []any:
		for _, e := range v {
			if word := dynamic(e); word != "" {
				return word
			}
		}
	}
	return ""
}

// noLoader refuses every reference that leads out of the schema.
type noLoader struct{}

func (noLoader) Load(string) (any, error) {
	return nil, errors.New("references may only lead into the schema itself")
}
