package api

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/internal/jsonbody"
	"github.com/stepgraph/stepgraph/internal/jsontext"
)

// maxItem bounds one item of a batch, in bytes. The engine bounds its response.
const maxItem = 4 << 20

// readBatch reads a batch as JSON. Its items are decoded one by one as they arrive, so
// that they are in memory once; all the rest is judged like any body.
func (r *batchRoutes) readBatch(in *startBatchIn, q *engine.BatchRequest) error {
	if in.BatchQuery != (BatchQuery{}) {
		return problem("request_invalid", "", Fault{Parameter: "action", Message: "with a JSON body, options belong into the body"})
	}
	reader := batchReader{decoder: json.NewDecoder(in.body), rest: map[string]json.RawMessage{}}
	if err := reader.read(); err != nil {
		return err
	}
	head, err := json.Marshal(reader.rest)
	if err != nil {
		return err
	}
	b, err := decodeBody[BatchBody](r.routeTable, "the batch", head)
	if err != nil {
		return err
	}
	q.Action, q.Options, q.Items = b.Action, b.options(), reader.items
	if b.Filter != nil {
		q.Filter, err = b.Filter.query()
	}
	return err
}

// A batchReader takes a batch's JSON apart.
type batchReader struct {
	decoder *json.Decoder
	rest    map[string]json.RawMessage // the members but items
	size    int                        // bytes of rest
	items   []engine.BatchItem
}

func (r *batchReader) read() error {
	if err := r.open('{', "", "want a JSON object"); err != nil {
		return err
	}
	for r.decoder.More() {
		name, err := r.decoder.Token()
		if err != nil {
			return notJSON(err)
		}
		if err := r.member(name.(string)); err != nil { // a decoder gives only texts as names
			return err
		}
	}
	if _, err := r.decoder.Token(); err != nil { // the end of the object
		return notJSON(err)
	}
	if _, err := r.decoder.Token(); !errors.Is(err, io.EOF) {
		return problem("bad_request", "the body has data after its JSON value")
	}
	return nil
}

func (r *batchReader) member(name string) error {
	if name == "items" {
		return r.list()
	}
	var value json.RawMessage
	if err := r.decoder.Decode(&value); err != nil {
		return notJSON(err)
	}
	if r.size += len(value); r.size > normalLimit {
		return problem("too_large", fmt.Sprintf("the body without its items has more than %d bytes", normalLimit))
	}
	if err := jsonbody.Check(value); err != nil {
		return problem("bad_request", "/"+name+": "+err.Error(), Fault{Pointer: "/" + jsontext.EscapeToken(name), Message: err.Error()})
	}
	r.rest[name] = value
	return nil
}

func (r *batchReader) list() error {
	if err := r.open('[', "/items", "want a list"); err != nil {
		return err
	}
	for r.decoder.More() {
		var text json.RawMessage
		if err := r.decoder.Decode(&text); err != nil {
			return notJSON(err)
		}
		item, err := itemOf(text)
		if err != nil {
			return badItem(fmt.Sprintf("/items/%d", len(r.items)), err)
		}
		r.items = append(r.items, item)
	}
	_, err := r.decoder.Token() // the end of the list
	return notJSON(err)
}

// open reads the bracket that begins an object or a list.
func (r *batchReader) open(bracket json.Delim, pointer, want string) error {
	token, err := r.decoder.Token()
	if errors.Is(err, io.EOF) {
		return problem("bad_request", "the body is missing")
	}
	if err != nil {
		return notJSON(err)
	}
	if token != bracket {
		return problem("request_invalid", "", Fault{Pointer: pointer, Message: want})
	}
	return nil
}

// readItemLines reads items as NDJSON, one a line, as they arrive. Blank lines count for
// nothing but their number.
func readItemLines(body io.Reader) ([]engine.BatchItem, error) {
	lines := bufio.NewScanner(body)
	lines.Buffer(nil, maxItem)
	var items []engine.BatchItem
	n := 0
	for lines.Scan() && lines.Err() == nil { // what was read before a failure is not a complete line
		n++
		line := bytes.TrimSpace(lines.Bytes())
		if n == 1 {
			line = bytes.TrimPrefix(line, []byte("\uFEFF"))
		}
		if len(line) == 0 {
			continue
		}
		item, err := itemOf(line)
		if err != nil {
			return nil, badItem(fmt.Sprintf("line %d", n), err)
		}
		items = append(items, item)
	}
	if errors.Is(lines.Err(), bufio.ErrTooLong) {
		return nil, problem("too_large", fmt.Sprintf("line %d has more than %d bytes", n+1, maxItem))
	}
	if lines.Err() != nil {
		return nil, unreadable(lines.Err())
	}
	return items, nil
}

// itemOf reads one item. A result of an earlier batch is an item too: what became of it
// there is not looked at.
func itemOf(text []byte) (engine.BatchItem, error) {
	if err := jsonbody.Check(text); err != nil {
		return engine.BatchItem{}, err
	}
	var item struct {
		Session                              string
		Step                                 string
		Response                             json.RawMessage
		N, Visit, Ask, Outcome, Error, Would ignored
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&item); err != nil {
		return engine.BatchItem{}, err
	}
	if item.Session == "" {
		return engine.BatchItem{}, errors.New("session is missing")
	}
	return engine.BatchItem{Session: item.Session, Step: item.Step, Response: item.Response}, nil
}

// ignored takes any JSON and keeps nothing.
type ignored struct{}

// UnmarshalJSON reads nothing.
func (*ignored) UnmarshalJSON([]byte) error { return nil }

func badItem(place string, err error) error {
	if errors.Is(err, jsonbody.ErrNotJSON) {
		return problem("bad_request", place+": "+err.Error(), Fault{Pointer: pointerPlace(place), Message: err.Error()})
	}
	return problem("request_invalid", place+": "+err.Error(), Fault{Pointer: pointerPlace(place), Message: err.Error()})
}

// pointerPlace is a place that is a pointer; a line is none.
func pointerPlace(place string) string {
	if place[0] == '/' {
		return place
	}
	return ""
}

// notJSON is the problem of a body that cannot be decoded, nil for none.
func notJSON(err error) error {
	var large *http.MaxBytesError
	var syntax *json.SyntaxError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &large):
		return unreadable(err)
	case errors.As(err, &syntax):
		return problem("bad_request", fmt.Sprintf("%v: %v at byte %d", jsonbody.ErrNotJSON, err, syntax.Offset))
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return problem("bad_request", fmt.Sprintf("%v: it ends too early", jsonbody.ErrNotJSON))
	}
	return unreadable(err)
}

type startBatchIn struct {
	Keyed
	BatchQuery
	body io.Reader
	kind string
}

// Resolve takes the body before it is read: a large batch is decoded as it comes.
func (in *startBatchIn) Resolve(c huma.Context) []error {
	in.body = c.BodyReader()
	in.kind, _, _ = mime.ParseMediaType(c.Header("Content-Type")) // guardBody has judged it
	return nil
}
