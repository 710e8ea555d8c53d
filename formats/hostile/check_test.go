package hostile

import (
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"runtime/debug"
	"strings"
	"time"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/formats"
	"github.com/stepgraph/stepgraph/memory"
)

// longestError is how much may be said of one file, in bytes.
const longestError = 1 << 20

// small is the size of files, in bytes, with which everything is done two times: that the
// second time comes to the same shows on small files, and large ones take long.
const small = 64 << 10

// A check does with a file all that a program does which loads it.
type check struct {
	registry *engine.Registry
	times    int               // that everything is done
	most     time.Duration     // of a processor, for what one command does with the file
	all      []engine.Workflow // of the file
	faults   []string
}

// command does what one command does, and is a fault when that takes too much of a processor.
func (c *check) command(what string, size int, do func()) {
	began := processorTime()
	do()
	if took := processorTime() - began; took > c.most {
		c.fault("%s took %v of a processor for %d bytes, at most %v is right", what, took, size, c.most)
	}
}

func (c *check) fault(format string, args ...any) {
	c.faults = append(c.faults, fmt.Sprintf(format, args...))
}

// file lists what is wrong with how a file is taken.
func (c *check) file(name string, src []byte) (faults []string) {
	defer func() {
		if reason := recover(); reason != nil {
			faults = append(c.faults, fmt.Sprintf("panic: %v\n%s", reason, debug.Stack()))
		}
	}()
	before := string(src)
	c.times = 1
	if len(src) <= small {
		c.times = 2
	}
	c.command("to load it", len(src), func() { c.load(name, src, before) })
	for i := range c.all {
		for _, format := range formats.ExportFormats() {
			c.command("to write it as "+format, len(src), func() { c.export(&c.all[i], format) })
		}
	}
	return c.faults
}

// load reads, validates and stores a file.
func (c *check) load(name string, src []byte, before string) {
	known := false
	for _, f := range formats.All() {
		known = f.Recognise(name, src) || known
	}
	if len(src) <= small || !known { // a large file that is known by one format is not given to the others
		for _, f := range formats.All() {
			c.read(f.Name(), name, func() (formats.Loaded, error) { return f.Parse(name, src) })
		}
	}
	loaded, err := c.read("load", name, func() (formats.Loaded, error) { return formats.Load(name, src) })
	if string(src) != before {
		c.fault("the text of the file was changed")
	}
	if err == nil {
		loaded.Problems()
		c.all = loaded.Workflows
		c.workflows(c.all)
	}
}

// read reads a file. The second time must come to the same.
func (c *check) read(how, name string, read func() (formats.Loaded, error)) (formats.Loaded, error) {
	one, fault := read()
	if fault != nil {
		c.text(how, name, fault)
	}
	if c.times == 1 {
		return one, fault
	}
	other, again := read()
	switch {
	case (fault == nil) != (again == nil) || fault != nil && fault.Error() != again.Error():
		c.fault("%s: read twice it gives %v and %v", how, short(fault), short(again))
	case fault == nil && !reflect.DeepEqual(one, other):
		c.fault("%s: read twice it gives %s", how, difference(one, other))
	}
	return one, fault
}

// place begins every line of what is said about a file whose format has lines. A file that
// stands as a text in another is named behind it.
var place = regexp.MustCompile(`^(/\w+)?:\d+:\d+: `)

// text checks that an error names the file and, where the format has them, the line.
func (c *check) text(how, name string, fault error) {
	text := fault.Error()
	if len(text) > longestError {
		c.fault("%s: the error is %d bytes long", how, len(text))
	}
	for _, line := range strings.Split(text, "\n") {
		rest, named := strings.CutPrefix(line, name)
		switch {
		case !named:
			c.fault("%s: the error does not name the file: %.300q of %.300q", how, line, text)
		case !place.MatchString(rest) && !errors.Is(fault, formats.ErrUnknownFormat) && !more.MatchString(rest):
			c.fault("%s: the error names no line: %.300q", how, line)
		default:
			continue
		}
		return
	}
}

// more is said once in place of very many faults.
var more = regexp.MustCompile(`^: and \d+ more`)

// workflows validates and stores what a file gave.
func (c *check) workflows(all []engine.Workflow) {
	e := engine.New(memory.New(memory.Options{}), c.registry, engine.Options{})
	for i := range all {
		w := &all[i]
		if c.times > 1 { // Put validates once more
			one := engine.Validate(w, c.registry)
			if other := engine.Validate(w, c.registry); !reflect.DeepEqual(one, other) {
				c.fault("validate: twice it gives %s", difference(one, other))
			}
		}
		ctx, cancel := background()
		if _, err := e.Put(ctx, w, engine.PutOptions{}); err == nil {
			if _, err := e.Workflow(ctx, w.ID); err != nil {
				c.fault("stored, it cannot be read: %v", err)
			}
		}
		cancel()
	}
}

// export writes a workflow.
func (c *check) export(w *engine.Workflow, format string) {
	one, fault := formats.Export(w, format)
	if c.times == 1 {
		return
	}
	other, again := formats.Export(w, format)
	if (fault == nil) != (again == nil) || fault != nil && fault.Error() != again.Error() || string(one.Text) != string(other.Text) {
		c.fault("export as %s: twice it gives %v and %v, %d and %d bytes", format, short(fault), short(again), len(one.Text), len(other.Text))
	}
}

func short(err error) string {
	if err == nil {
		return "no error"
	}
	return fmt.Sprintf("%.500q", err.Error())
}

// difference shows where two values begin to differ.
func difference(a, b any) string {
	x, y := fmt.Sprintf("%+v", a), fmt.Sprintf("%+v", b)
	at := 0
	for at < len(x) && at < len(y) && x[at] == y[at] {
		at++
	}
	from := max(at-100, 0)
	return fmt.Sprintf("%.300q and %.300q", x[min(from, len(x)):], y[min(from, len(y)):])
}
