package route

import (
	"encoding/json"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strconv"

	"github.com/danielgtaylor/huma/v2"
)

// An input says where the parts of a request go.
type input struct {
	parameters []*parameter
	body, raw  []int        // fields; nil for none
	schema     *huma.Schema // of the body; nil for one that is not checked
	defaults   []defaultValue
}

// A defaultValue is that of a field of the body.
type defaultValue struct {
	field []int
	value reflect.Value
}

const jsonKind = "application/json"

func describeInput(t reflect.Type, op *huma.Operation, schemas huma.Registry) (in input) {
	for _, f := range reflect.VisibleFields(t) {
		switch {
		case f.Anonymous || !f.IsExported():
		case f.Name == "Body":
			in.body = f.Index
			in.describeBody(t, f, op, schemas)
		case f.Name == "RawBody":
			in.raw = f.Index
			op.RequestBody.Required = true
		default:
			p := parameterOf(f, schemas)
			if p == nil {
				panic(t.String() + "." + f.Name + " is not a parameter")
			}
			in.parameters = append(in.parameters, p)
			if f.Tag.Get("hidden") != "true" {
				op.Parameters = append(op.Parameters, p.described())
			}
		}
	}
	if in.body == nil && in.raw == nil {
		return in
	}
	for _, kind := range op.RequestBody.Content {
		kind.Schema.PrecomputeMessages()
	}
	if kind := op.RequestBody.Content[jsonKind]; kind != nil && !op.SkipValidateBody {
		in.schema = kind.Schema
	}
	return in
}

func (in *input) describeBody(t reflect.Type, f reflect.StructField, op *huma.Operation, schemas huma.Registry) {
	op.RequestBody = &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{
		jsonKind: {Schema: huma.SchemaFromField(schemas, f, hint(t, f, op.OperationID+"Request"))}}}
	if f.Type.Kind() != reflect.Struct {
		return
	}
	for _, part := range reflect.VisibleFields(f.Type) {
		text := part.Tag.Get("default")
		if text == "" {
			continue
		}
		value := reflect.New(part.Type)
		if err := json.Unmarshal([]byte(text), value.Interface()); err != nil {
			panic(f.Type.String() + "." + part.Name + ": default: " + err.Error())
		}
		in.defaults = append(in.defaults, defaultValue{part.Index, value.Elem()})
	}
}

// hint is the name of a schema whose type has none.
func hint(parent reflect.Type, f reflect.StructField, other string) string {
	if parent.Name() != "" {
		return parent.Name() + f.Name
	}
	return other
}

// An output says where the parts of an answer are.
type output struct {
	headers      []header
	status, body []int // fields; nil for none
}

type header struct {
	field []int
	name  string
}

func describeOutput(t reflect.Type, op *huma.Operation, schemas huma.Registry) (out output) {
	body, typed := t.FieldByName("Body")
	if typed {
		out.body = body.Index
	}
	switch {
	case op.DefaultStatus != 0:
	case typed:
		op.DefaultStatus = http.StatusOK
	default:
		op.DefaultStatus = http.StatusNoContent
	}
	answer := &huma.Response{Description: http.StatusText(op.DefaultStatus)}
	op.Responses[strconv.Itoa(op.DefaultStatus)] = answer
	if typed && body.Type.Kind() != reflect.Func {
		answer.Content = map[string]*huma.MediaType{jsonKind: {
			Schema: huma.SchemaFromField(schemas, body, hint(t, body, op.OperationID+"Response"))}}
	}
	for _, f := range reflect.VisibleFields(t) {
		switch {
		case f.Anonymous || f.Name == "Body":
		case f.Name == "Status":
			out.status = f.Index
		case f.Type.Kind() != reflect.String || f.Tag.Get("header") == "":
			panic(t.String() + "." + f.Name + " is not a header of text")
		default:
			h := header{f.Index, f.Tag.Get("header")}
			out.headers = append(out.headers, h)
			if answer.Headers == nil {
				answer.Headers = map[string]*huma.Header{}
			}
			answer.Headers[h.name] = &huma.Header{Schema: huma.SchemaFromField(schemas, f, hint(t, f, op.OperationID+h.name))}
		}
	}
	return out
}

// unknown finds the parameters of the query that the operation does not have.
func (in *input) unknown(c huma.Context, at *huma.PathBuffer, found *huma.ValidateResult) {
	url := c.URL()
	for _, name := range slices.Sorted(maps.Keys(url.Query())) {
		if !slices.ContainsFunc(in.parameters, func(p *parameter) bool { return p.where == "query" && p.name == name }) {
			at.Reset()
			at.Push("query")
			at.Push(name)
			found.Add(at, "", "unknown query parameter")
		}
	}
}
