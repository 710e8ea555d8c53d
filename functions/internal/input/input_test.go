package input_test

import (
	"encoding/json"
	"slices"
	"testing"
	"time"

	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/functions/internal/input"
)

func TestObjectKeepsOrder(t *testing.T) {
	o, err := input.Parse([]byte(`{"z": 1, "a": {"b" : [1, 2.50]}, "z": "<&>", "n": null}`))
	if err != nil {
		t.Fatal(err)
	}
	o = o.With("new", input.Encode("<é>")).With("a", json.RawMessage(`true`))
	if got, want := string(o.Encode()), `{"z":"<&>","a":true,"n":null,"new":"<é>"}`; got != want {
		t.Errorf("Encode = %s, want %s", got, want)
	}
	if o.Get("n") != nil || o.Get("none") != nil {
		t.Error("Get gives null or absent fields")
	}
	if !o.Has("n") || o.Has("none") {
		t.Error("Has does not tell null from absent")
	}
	if got, want := string(o.Without("a", "n").Encode()), `{"z":"<&>","new":"<é>"}`; got != want {
		t.Errorf("Without = %s, want %s", got, want)
	}
}

func TestParseRefuses(t *testing.T) {
	for _, text := range []string{``, `[]`, `"x"`, `{`, `{"a"`, `{"a":}`, `{"a":1`, `{} {}`, `{"a":1}}`} {
		if _, err := input.Parse([]byte(text)); function.KindOf(err) != function.KindBadInput {
			t.Errorf("Parse(%s) = %v, want bad_input", text, err)
		}
	}
}

type everything struct {
	Text     input.Text      `json:"text,omitempty" jsonschema:"anything that reads as text"`
	Float    *input.Float    `json:"float,omitempty"`
	Int      input.Int       `json:"int,omitempty"`
	Bool     input.Bool      `json:"bool,omitempty"`
	Duration input.Duration  `json:"duration,omitempty"`
	Raw      json.RawMessage `json:"raw,omitempty" jsonschema:"any value"`
}

func TestDecode(t *testing.T) {
	in, o, err := input.Decode[everything]([]byte(`{"text":{"b":1,"a":[true]},"float":"0.5","int":"7","bool":"Yes","duration":"1d2h","raw":[1],"more":1}`))
	if err != nil {
		t.Fatal(err)
	}
	if in.Text != `{"b":1,"a":[true]}` || *in.Float != 0.5 || in.Int != 7 || !in.Bool || time.Duration(in.Duration) != 26*time.Hour || string(in.Raw) != `[1]` {
		t.Errorf("Decode = %+v", in)
	}
	if string(o.Get("more")) != "1" {
		t.Error("the field the struct does not know is lost")
	}
	if in, _, err = input.Decode[everything]([]byte(`{"text":null,"float":null,"bool":null}`)); err != nil || in.Float != nil || in.Text != "" {
		t.Errorf("nulls: %+v, %v", in, err)
	}
}

func TestDecodeNamesTheField(t *testing.T) {
	tests := map[string]string{
		`{"float":"hot"}`:     `float: want a number, not "hot"`,
		`{"float":"NaN"}`:     `float: want a number, not "NaN"`,
		`{"int":1.5}`:         `int: want a whole number, not 1.5`,
		`{"bool":"maybe"}`:    `bool: want true or false, not "maybe"`,
		`{"duration":"soon"}`: `duration: want seconds or a length of time such as 90s, 1h30m or 2d, not "soon"`,
		`{"duration":-1}`:     `duration: length of time "-1" is out of range`,
		`{"duration":1e300}`:  `duration: length of time "1e300" is out of range`,
	}
	for text, want := range tests {
		if _, _, err := input.Decode[everything]([]byte(text)); err == nil || err.Error() != want {
			t.Errorf("Decode(%s) = %v, want %s", text, err, want)
		}
	}
}

func TestParseDuration(t *testing.T) {
	tests := map[string]time.Duration{
		"90": 90 * time.Second, "1.5": 1500 * time.Millisecond, "90s": 90 * time.Second, "1h30m": 90 * time.Minute,
		"2d": 48 * time.Hour, "1w": 168 * time.Hour, "1w1d1h": 193 * time.Hour, "250ms": 250 * time.Millisecond, "0": 0,
	}
	for text, want := range tests {
		if got, err := input.ParseDuration(text); err != nil || got != want {
			t.Errorf("ParseDuration(%s) = %s, %v, want %s", text, got, err, want)
		}
	}
	for _, text := range []string{"d", "1x", "w1", "1d1w", "one", "NaN", "-5s"} {
		if got, err := input.ParseDuration(text); err == nil {
			t.Errorf("ParseDuration(%s) = %s, want an error", text, got)
		}
	}
}

func TestSchemaTakesWhatDecodeTakes(t *testing.T) {
	text, err := json.Marshal(input.Schema[everything]())
	if err != nil {
		t.Fatal(err)
	}
	var s struct {
		Properties           map[string]struct{ Type any }
		Required             []string
		AdditionalProperties any
	}
	if err := json.Unmarshal(text, &s); err != nil {
		t.Fatal(err)
	}
	if s.Properties["text"].Type != nil || len(s.Properties["float"].Type.([]any)) != 3 || s.Required != nil || s.AdditionalProperties != nil {
		t.Errorf("schema is %s", text)
	}
}

type textGroup struct {
	Text input.Text `json:"text,omitempty" jsonschema:"a text"`
}

type hiddenGroup struct {
	Hidden input.Text `json:"hidden,omitempty" jsonschema:"not for this function"`
}

type limitGroup struct {
	Limit input.Int `json:"limit,omitempty" jsonschema:"a limit"`
}

// The fields of embedded structs are flat in JSON and keep their group in the schema. What a
// struct hides from JSON is not in the schema either.
func TestSchemaHasGroups(t *testing.T) {
	type base struct {
		textGroup   `group:"text"`
		limitGroup  `group:"limits"`
		hiddenGroup `json:"-"`
	}
	type moreText struct {
		Title input.Text `json:"title,omitempty" jsonschema:"a title"`
	}
	type own struct {
		moreText `group:"text"`
		Free     input.Text `json:"free,omitempty" jsonschema:"in no group"`
	}
	s := input.Join(input.Schema[base](), input.Schema[own]())
	var got []string
	for _, name := range s.PropertyOrder {
		got = append(got, s.Properties[name].Comment+"/"+name)
	}
	if want := []string{"/free", "text/title", "text/text", "limits/limit"}; !slices.Equal(got, want) || len(s.Properties) != len(want) {
		t.Errorf("properties %v of %d, want %v", got, len(s.Properties), want)
	}
}
