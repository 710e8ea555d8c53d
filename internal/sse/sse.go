// Package sse reads a stream of server-sent events: the engine's own and those of model
// servers. It follows the HTML standard: an event ends with an empty line, and one that the
// end of the stream cuts off is dropped.
package sse

import (
	"bufio"
	"io"
	"iter"
	"strings"
)

// An Event is one event of a stream.
type Event struct {
	Type string // empty where the stream gives none
	ID   string
	Data string // lines of data joined by line feeds
}

// Read returns the events of a stream in order. A line of more than maxLine bytes, and an
// error of the body, end the sequence with an error; the end of the body ends it without.
func Read(body io.Reader, maxLine int) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		lines := bufio.NewScanner(body)
		lines.Buffer(nil, maxLine)
		var event Event
		var data []string
		for lines.Scan() {
			line := lines.Text()
			if line == "" {
				if len(data) > 0 {
					event.Data = strings.Join(data, "\n")
					if !yield(event, nil) {
						return
					}
				}
				event, data = Event{}, data[:0]
				continue
			}
			field, value, _ := strings.Cut(line, ":")
			value = strings.TrimPrefix(value, " ")
			switch field {
			case "event":
				event.Type = value
			case "id":
				event.ID = value
			case "data":
				data = append(data, value)
			}
		}
		if err := lines.Err(); err != nil {
			yield(Event{}, err)
		}
	}
}
