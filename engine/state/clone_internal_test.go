package state

import (
	"encoding/json"
	"fmt"
	"reflect"
	"testing"
	"unsafe"
)

// TestCloneSharesNothing fills every field of a state, clones it, and sees that the clone is equal
// and that no map, list or pointer but the bytes of JSON texts belongs to both.
func TestCloneSharesNothing(t *testing.T) {
	s := &State{}
	fill(reflect.ValueOf(s).Elem(), 0)
	c := Read(s).Clone()
	if !reflect.DeepEqual(s, c) {
		t.Fatalf("the clone differs:\n%s\n%s", s.AppendJSON(nil), c.AppendJSON(nil))
	}
	apart(t, "State", reflect.ValueOf(s).Elem(), reflect.ValueOf(c).Elem())
	empty := Read(New("s")).Clone()
	if !reflect.DeepEqual(empty, New("s")) {
		t.Error("the clone of an empty state differs")
	}
}

var rawType = reflect.TypeFor[json.RawMessage]()

// reachable lifts the protection of an unexported field.
func reachable(v reflect.Value) reflect.Value {
	if v.CanAddr() {
		return reflect.NewAt(v.Type(), unsafe.Pointer(v.UnsafeAddr())).Elem()
	}
	return v
}

// fill gives every field a value that is not zero; every list and map gets an element.
func fill(v reflect.Value, n int) {
	v = reachable(v)
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i), n+i+1)
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), n)
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		value := reflect.New(v.Type().Elem()).Elem()
		fill(value, n)
		v.SetMapIndex(reflect.ValueOf(fmt.Sprint("key", n)).Convert(v.Type().Key()), value)
	case reflect.Slice:
		if v.Type() == rawType {
			v.SetBytes([]byte(fmt.Sprint(n)))
			return
		}
		v.Set(reflect.MakeSlice(v.Type(), 1, 4))
		fill(v.Index(0), n)
	case reflect.String:
		v.SetString(fmt.Sprint("text", n))
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(int64(n + 1))
	case reflect.Float64:
		v.SetFloat(1)
	case reflect.Interface:
	default:
		panic("no value for " + v.Type().String())
	}
}

// apart fails the test where a and b share memory that may be written.
func apart(t *testing.T, where string, a, b reflect.Value) {
	t.Helper()
	a, b = reachable(a), reachable(b)
	switch a.Kind() {
	case reflect.Struct:
		for i := range a.NumField() {
			apart(t, where+"."+a.Type().Field(i).Name, a.Field(i), b.Field(i))
		}
	case reflect.Pointer, reflect.Map, reflect.Slice:
		if a.Type() == rawType {
			return
		}
		if a.IsNil() {
			t.Errorf("%s was not filled", where)
			return
		}
		if a.Pointer() == b.Pointer() {
			t.Errorf("%s is shared", where)
			return
		}
		each(a, func(key string, av, bv reflect.Value) { apart(t, where+key, av, bv) }, b)
	}
}

// each calls f for the elements of two pointers, lists or maps.
func each(a reflect.Value, f func(string, reflect.Value, reflect.Value), b reflect.Value) {
	switch a.Kind() {
	case reflect.Pointer:
		f("", a.Elem(), b.Elem())
	case reflect.Slice:
		for i := range a.Len() {
			f("[]", a.Index(i), b.Index(i))
		}
	case reflect.Map:
		for _, k := range a.MapKeys() {
			f("[]", a.MapIndex(k), b.MapIndex(k))
		}
	}
}
