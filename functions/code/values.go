package code

import (
	"bytes"
	stdjson "encoding/json"
	"errors"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"

	"go.starlark.net/starlark"

	"github.com/stepgraph/stepgraph/functions/internal/input"
)

// maxResult is the maximal length of a script's result as JSON, in bytes.
const maxResult = 1 << 20

// decodeObject reads a JSON object and keeps the order of its fields. No text is an empty
// object.
func decodeObject(text []byte) (*starlark.Dict, error) {
	if len(text) == 0 || string(text) == "null" {
		return starlark.NewDict(0), nil
	}
	v, err := decode(text)
	if err != nil {
		return nil, err
	}
	object, ok := v.(*starlark.Dict)
	if !ok {
		return nil, errors.New("want an object")
	}
	return object, nil
}

// decode reads a JSON value: whole numbers of any length become int, all others float.
func decode(text []byte) (starlark.Value, error) {
	decoder := stdjson.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	return decodeNext(decoder)
}

func decodeNext(decoder *stdjson.Decoder) (starlark.Value, error) {
	token, err := decoder.Token()
	if err != nil {
		return nil, err
	}
	switch t := token.(type) {
	case stdjson.Delim:
		if t == '[' {
			return decodeList(decoder)
		}
		return decodeDict(decoder)
	case string:
		return starlark.String(t), nil
	case bool:
		return starlark.Bool(t), nil
	case stdjson.Number:
		return decodeNumber(string(t))
	}
	return starlark.None, nil
}

func decodeList(decoder *stdjson.Decoder) (starlark.Value, error) {
	var items []starlark.Value
	for decoder.More() {
		item, err := decodeNext(decoder)
		if err != nil {
			return nil, err
		}
		items = append(items, item)
	}
	_, err := decoder.Token()
	return starlark.NewList(items), err
}

func decodeDict(decoder *stdjson.Decoder) (starlark.Value, error) {
	object := starlark.NewDict(0)
	for decoder.More() {
		key, err := decoder.Token()
		if err != nil {
			return nil, err
		}
		value, err := decodeNext(decoder)
		if err != nil {
			return nil, err
		}
		if err := object.SetKey(starlark.String(key.(string)), value); err != nil {
			return nil, err
		}
	}
	_, err := decoder.Token()
	return object, err
}

func decodeNumber(text string) (starlark.Value, error) {
	if !strings.ContainsAny(text, ".eE") && text != "-0" {
		if n, ok := new(big.Int).SetString(text, 10); ok {
			return starlark.MakeBigInt(n), nil
		}
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return nil, fmt.Errorf("number %s is out of range", text)
	}
	return starlark.Float(f), nil
}

// encode writes a value as JSON. A value without a JSON form is an error in the script.
func encode(v starlark.Value) (stdjson.RawMessage, error) {
	e := &encoder{}
	if err := e.value(v, 0); err != nil {
		return nil, scriptFault("result: %v", err)
	}
	return e.out.Bytes(), nil
}

type encoder struct{ out bytes.Buffer }

func (e *encoder) value(v starlark.Value, depth int) error {
	if depth > maxNested {
		return errNested
	}
	if e.out.Len() > maxResult {
		return fmt.Errorf("larger than %d bytes", maxResult)
	}
	switch v := v.(type) {
	case starlark.NoneType:
		e.out.WriteString("null")
	case starlark.Bool:
		e.out.WriteString(strconv.FormatBool(bool(v)))
	case starlark.Int:
		if intSize(v) > maxIntBits/8 {
			return fmt.Errorf("number is longer than %d bits", maxIntBits)
		}
		e.out.WriteString(v.String())
	case starlark.Float:
		if math.IsNaN(float64(v)) || math.IsInf(float64(v), 0) {
			return fmt.Errorf("JSON has no form for the number %s", v)
		}
		e.out.Write(input.Encode(float64(v)))
	case starlark.String:
		e.out.Write(input.Encode(string(v)))
	case *starlark.Dict:
		return e.dict(v, depth)
	case *starlark.List, starlark.Tuple, *starlark.Set:
		return e.list(v.(starlark.Iterable), depth)
	default:
		return fmt.Errorf("JSON has no form for a %s", v.Type())
	}
	if e.out.Len() > maxResult {
		return fmt.Errorf("larger than %d bytes", maxResult)
	}
	return nil
}

func (e *encoder) list(v starlark.Iterable, depth int) error {
	separator := byte('[')
	for item := range starlark.Elements(v) {
		e.out.WriteByte(separator)
		separator = ','
		if err := e.value(item, depth+1); err != nil {
			return err
		}
	}
	if separator == '[' {
		e.out.WriteByte('[')
	}
	e.out.WriteByte(']')
	return nil
}

func (e *encoder) dict(v *starlark.Dict, depth int) error {
	separator := byte('{')
	for key, value := range v.Entries() {
		name, err := keyText(key)
		if err != nil {
			return err
		}
		e.out.WriteByte(separator)
		separator = ','
		e.out.Write(input.Encode(name))
		e.out.WriteByte(':')
		if err := e.value(value, depth+1); err != nil {
			return err
		}
	}
	if separator == '{' {
		e.out.WriteByte('{')
	}
	e.out.WriteByte('}')
	return nil
}

// keyText returns the name of a JSON field for a key; keys that are not text are written as
// Python does.
func keyText(key starlark.Value) (string, error) {
	switch k := key.(type) {
	case starlark.String:
		return string(k), nil
	case starlark.Bool:
		return strconv.FormatBool(bool(k)), nil
	case starlark.NoneType:
		return "null", nil
	case starlark.Int:
		if intSize(k) < 1024 {
			return k.String(), nil
		}
	case starlark.Float:
		if !math.IsNaN(float64(k)) && !math.IsInf(float64(k), 0) {
			return string(input.Encode(float64(k))), nil
		}
	}
	return "", fmt.Errorf("JSON has no form for the key %s", key.Type())
}

// rounded returns f with n digits after the point, computed from its shortest decimal form.
func rounded(f float64, n int) starlark.Float {
	if n < 0 {
		scale := math.Pow(10, float64(-n))
		return starlark.Float(math.RoundToEven(f/scale) * scale)
	}
	result, err := strconv.ParseFloat(strconv.FormatFloat(f, 'f', n, 64), 64)
	if err != nil {
		return starlark.Float(f)
	}
	return starlark.Float(result)
}
