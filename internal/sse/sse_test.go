package sse_test

import (
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stepgraph/stepgraph/internal/sse"
)

func TestRead(t *testing.T) {
	broken := errors.New("broken")
	for name, c := range map[string]struct {
		body io.Reader
		want []sse.Event
		err  string
	}{
		"fields":                   {strings.NewReader("event: a\nid: 7\ndata: x\n\ndata:y\r\n\r\n"), []sse.Event{{Type: "a", ID: "7", Data: "x"}, {Data: "y"}}, ""},
		"lines joined":             {strings.NewReader("data: {\ndata:  1}\n\n"), []sse.Event{{Data: "{\n 1}"}}, ""},
		"comments":                 {strings.NewReader(": ping\n\nretry: 100\n\ndata: x\n\n"), []sse.Event{{Data: "x"}}, ""},
		"cut off":                  {strings.NewReader("data: x\n\ndata: half"), []sse.Event{{Data: "x"}}, ""},
		"type is not carried over": {strings.NewReader("event: a\n\ndata: x\n\n"), []sse.Event{{Data: "x"}}, ""},
		"long line":                {strings.NewReader("data: " + strings.Repeat("x", 100) + "\n\n"), nil, "token too long"},
		"broken":                   {io.MultiReader(strings.NewReader("data: x\n\n"), iotest.ErrReader(broken)), []sse.Event{{Data: "x"}}, "broken"},
	} {
		var got []sse.Event
		failed := ""
		for event, err := range sse.Read(c.body, 64) {
			if err != nil {
				failed = err.Error()
				break
			}
			got = append(got, event)
		}
		if !slices.Equal(got, c.want) || !strings.Contains(failed, c.err) || (c.err == "") != (failed == "") {
			t.Errorf("%s: got %+v, error %q; want %+v, %q", name, got, failed, c.want, c.err)
		}
	}
}

func TestReadStopsWhenTheCallerDoes(t *testing.T) {
	n := 0
	for range sse.Read(strings.NewReader("data: a\n\ndata: b\n\n"), 64) {
		n++
		break
	}
	if n != 1 {
		t.Errorf("%d events", n)
	}
}
