// Package exposition writes metrics in the text format of Prometheus. The client library of
// Prometheus writes two more formats by way of protocol buffers, and is 3 MB of a program.
package exposition

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// ContentType is that of the format.
const ContentType = "text/plain; version=0.0.4; charset=utf-8"

// Types of metrics.
const (
	Counter   = "counter"
	Gauge     = "gauge"
	histogram = "histogram"
	summary   = "summary"
)

// A Text is metrics as they are written. The zero value is empty.
type Text struct {
	buffer bytes.Buffer
	name   string
	head   string // of the family that has no sample yet
}

// Bytes is what has been written.
func (t *Text) Bytes() []byte { return t.buffer.Bytes() }

var (
	helpText  = strings.NewReplacer(`\`, `\\`, "\n", `\n`)
	labelText = strings.NewReplacer(`\`, `\\`, "\n", `\n`, `"`, `\"`)
)

// Family begins the samples of a name. One without samples is not written.
func (t *Text) Family(name, kind, help string) {
	t.name, t.head = name, fmt.Sprintf("# HELP %s %s\n# TYPE %s %s\n", name, helpText.Replace(help), name, kind)
}

// Sample writes a value of the family; labels are names and values in turn.
func (t *Text) Sample(value float64, labels ...string) { t.sample("", value, labels...) }

func (t *Text) sample(suffix string, value float64, labels ...string) {
	b := &t.buffer
	b.WriteString(t.head)
	t.head = ""
	b.WriteString(t.name + suffix)
	before := "{"
	for i := 0; i < len(labels); i += 2 {
		b.WriteString(before + labels[i] + `="` + labelText.Replace(strings.ToValidUTF8(labels[i+1], "\uFFFD")) + `"`)
		before = ","
	}
	if len(labels) > 0 {
		b.WriteByte('}')
	}
	b.WriteString(" " + number(value) + "\n")
}

func number(value float64) string {
	if math.IsInf(value, 0) {
		return fmt.Sprintf("%+f", value)
	}
	return strconv.FormatFloat(value, 'g', -1, 64)
}
