package route

import (
	"errors"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
)

// A parameter is a field of an input that comes from the path, the query or a header.
type parameter struct {
	field       []int
	where, name string
	fallback    string
	required    bool
	explode     bool // a list is a parameter that is repeated, else one with commas
	schema      *huma.Schema
}

var timeType = reflect.TypeFor[time.Time]()

// parameterOf reads the tags of a field; nil for one that is not a parameter.
func parameterOf(f reflect.StructField, schemas huma.Registry) *parameter {
	p := &parameter{field: f.Index, fallback: f.Tag.Get("default"), required: f.Tag.Get("required") == "true"}
	for _, p.where = range []string{"path", "query", "header"} {
		if p.name = f.Tag.Get(p.where); p.name != "" {
			break
		}
	}
	if p.name == "" {
		return nil
	}
	if p.where == "path" {
		p.required = true
	}
	var wish string
	p.name, wish, _ = strings.Cut(p.name, ",")
	p.explode = wish == "explode"
	switch f.Type.Kind() {
	case reflect.String, reflect.Int, reflect.Float64, reflect.Bool:
	default:
		if f.Type != timeType && f.Type != reflect.TypeFor[[]string]() {
			panic("parameter " + p.name + ": unknown type " + f.Type.String())
		}
	}
	p.schema = huma.SchemaFromField(schemas, f, "")
	return p
}

// described is the parameter as the document shows it.
func (p *parameter) described() *huma.Param {
	out := &huma.Param{Name: p.name, Description: p.schema.Description, In: p.where, Required: p.required, Schema: p.schema}
	if p.where == "query" {
		out.Explode = &p.explode
	}
	return out
}

// read sets the field to the parameter's value, and checks that.
func (p *parameter) read(c huma.Context, field reflect.Value, schemas huma.Registry, at *huma.PathBuffer, found *huma.ValidateResult) {
	at.Reset()
	at.Push(p.where)
	at.Push(p.name)
	text := p.text(c)
	if text == "" {
		if p.required {
			found.Add(at, "", "required "+p.where+" parameter is missing")
		}
		return
	}
	value, err := p.set(c, field, text)
	if err != nil {
		found.Add(at, text, err.Error())
		return
	}
	huma.Validate(schemas, p.schema, at, huma.ModeWriteToServer, value, found)
}

func (p *parameter) text(c huma.Context) (text string) {
	switch p.where {
	case "path":
		text = c.Param(p.name)
	case "query":
		text = c.Query(p.name)
	default:
		text = c.Header(p.name)
	}
	if text == "" {
		return p.fallback
	}
	return text
}

// set decodes a text into the field. It returns the value that the schema is checked against.
func (p *parameter) set(c huma.Context, field reflect.Value, text string) (any, error) {
	switch field.Kind() {
	case reflect.String:
		field.SetString(text)
		return text, nil
	case reflect.Int:
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return nil, errors.New("invalid integer")
		}
		field.SetInt(n)
		return n, nil
	case reflect.Float64:
		n, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return nil, errors.New("invalid float")
		}
		field.SetFloat(n)
		return n, nil
	case reflect.Bool:
		b, err := strconv.ParseBool(text)
		if err != nil {
			return nil, errors.New("invalid boolean")
		}
		field.SetBool(b)
		return b, nil
	case reflect.Slice:
		values := strings.Split(text, ",")
		if p.explode {
			url := c.URL()
			values = url.Query()[p.name]
		}
		field.Set(reflect.ValueOf(values))
		return values, nil
	}
	t, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return nil, errors.New("invalid date/time for format " + time.RFC3339Nano)
	}
	field.Set(reflect.ValueOf(t))
	return text, nil
}
