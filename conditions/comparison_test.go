package conditions_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/stepgraph/stepgraph/conditions"
)

const colours = `{"ask":[{"response":"red","n":"3","gone":null}],"score":[{"value":3,"list":["a","b"],"ok":false}]}`

func judged(t *testing.T, stored any, operator string) conditions.Verdict {
	t.Helper()
	return conditions.Parse(written(stored), operator).Evaluate(resolver("s", []byte(colours)))
}

// written writes a reference for each § and keeps the shape of the condition.
func written(stored any) any {
	switch stored := stored.(type) {
	case string:
		return strings.ReplaceAll(stored, "§", "@{SESSION_ID}")
	case []any:
		out := make([]any, len(stored))
		for i := range stored {
			out[i] = written(stored[i])
		}
		return out
	case map[string]any:
		out := map[string]any{}
		for key, value := range stored {
			out[key] = written(value)
		}
		return out
	}
	return stored
}

func TestComparisons(t *testing.T) {
	type object = map[string]any
	for _, test := range []struct {
		stored   any
		operator string
		want     bool
	}{
		{"when §.ask.response == 'red'", "", true},
		{"  when\t§.ask.response != 'red'", "", false},
		{`{"when": "§.ask.response == 'red' and §.score.value >= 3"}`, "", true},
		{object{"when": "§.ask.response == 'red' and §.score.value > 3"}, "", false},
		{[]any{"when §.score.value > 3", "when §.ask.response in ['red', 'blue']"}, "OR", true},
		{[]any{"when §.score.value > 3", "when §.ask.response in ['red', 'blue']"}, "AND", false},
		{[]any{object{"when": "§.score.value == 3"}, "§.ask.response"}, "", true},
		{`["when §.score.value == 3", {"false": "§.score.ok"}]`, "", true},
		{object{"true": object{"when": "§.score.value == 3"}}, "", true},
		{object{"false": object{"when": "§.score.value == 3"}}, "", false},
		{object{"true": "when §.score.value == 3", "false": "when §.score.value == 4"}, "", true},
		{object{"operator": "or", "when": "§.score.value == 4", "true": "§.ask.response"}, "", true},
		// References are values: neither quotes nor operators in a text change the expression.
		{"when §.ask.response.lower() == 'red'", "", true},
		{"when len(§.score.list) == 2 and 'a' in §.score.list", "", true},
		{"when §.score.list[0] == 'a'", "", true},
		{"when 1 < §.score.value <= 3", "", true},
		{"when int(§.ask.n) >= 3", "", true},
		{"when §.score.ok == false", "", true},
		{"when f'{§.ask.response}!' == 'red!'", "", true},
		{"when § == 's'", "", true},
		// Without a value a comparison is unknown: neither it nor its opposite holds.
		{"when §.ask.nothing == 'red'", "", false},
		{"when §.ask.nothing != 'red'", "", false},
		{"when not §.ask.nothing == 'red'", "", false},
		{"when §.ask.nothing", "", false},
		{"when not §.ask.nothing", "", false},
		{"when §.ask.nothing is None", "", true},
		{"when §.ask.nothing == null", "", true},
		{"when §.ask.nothing is not None and §.ask.nothing > 3", "", false},
		{"when §.ask.gone is None", "", true},
		{"when §.ask.nothing == 'red' or §.score.value == 3", "", true},
		{"when §.score.value == 3 or §.ask.nothing == 'red'", "", true},
		{"when §.ask.nothing == 'red' and §.score.value == 3", "", false},
		{object{"false": object{"when": "§.ask.nothing == 'red'"}}, "", true},
		{"when §.ask.nothing|0 < 3", "", true},
		{"when §.ask.nothing|0>=3", "", false},
		{"when §.ask.gone|'light red' == 'light red'", "", true},
		{"when §.ask.nothing|none == 'none'", "", true},
		{"when §.ask.nothing|§.score.value|7 == 3", "", true},
	} {
		if got := judged(t, test.stored, test.operator); got.Open != test.want || got.Err != nil {
			t.Errorf("%v opens: %t, %v, want %t; %+v", test.stored, got.Open, got.Err, test.want, got.Clauses)
		}
	}
}

func TestComparisonsThatCannotBeRead(t *testing.T) {
	for stored, want := range map[string]string{
		"when §.ask.response = 'red'":                    "column 28: a value cannot be set here; to compare write ==",
		"when §.ask.response == red":                     `"red" is not known here: a text stands in quotes, as 'red'`,
		"when '§.ask.response' == 'red'":                 "stands inside quotes",
		"when §.ask.response() == 'red'":                 "cannot be called",
		"when §.ask.n >= 3":                              "int(…) and",
		"when ":                                          "asks nothing",
		"when §.ask.response ==":                         "ends too early",
		`{"when": 3}`:                                    "when is a text",
		`{"when": "1 == 1", "else": "2"}`:                `unknown key "else"`,
		`{"true": {"when": "1 == 1", "operator": "OR"}}`: "no other keys",
		`["when §.x ==", "1"]`:                           "[0]: when",
		`{"when": "§.x =="}`:                             "when: column 19: the",
		`{"true": {"when": "§.x =="}}`:                   "true.when: column 19: the",
	} {
		got := judged(t, stored, "OR")
		if got.Open || got.Err == nil || !strings.Contains(got.Err.Error(), want) {
			t.Errorf("%s: open %t, %v, want closed with %q", stored, got.Open, got.Err, want)
		}
		if got.Err != nil && strings.Contains(got.Err.Error(), "when: when: ") {
			t.Errorf("%s: the error says when twice: %v", stored, got.Err)
		}
		if got.Err != nil && strings.ContainsRune(got.Err.Error(), 'Ʀ') {
			t.Errorf("%s: the error shows a name of ours: %v", stored, got.Err)
		}
	}
}

func TestAComparisonExplainsItself(t *testing.T) {
	got := judged(t, "when §.ask.response == 'blue' and §.ask.nothing > 3 or §.score.value|0 == 4", "")
	text, err := json.Marshal(got)
	want := `{"result":false,"clauses":[{"path":"","operand":"when @{SESSION_ID}.ask.response == 'blue' and @{SESSION_ID}.ask.nothing \u003e 3 or @{SESSION_ID}.score.value|0 == 4","value":false,"result":false,` +
		`"values":[{"reference":"@{SESSION_ID}.ask.response","value":"red"},{"reference":"@{SESSION_ID}.ask.nothing"},{"reference":"@{SESSION_ID}.score.value|0","value":3}],` +
		`"parts":[{"text":"@{SESSION_ID}.ask.response == 'blue'","result":false},{"text":"@{SESSION_ID}.ask.nothing \u003e 3","result":false,"skipped":true},{"text":"@{SESSION_ID}.score.value|0 == 4","result":false}]}],"error":""}`
	if err != nil || string(text) != want {
		t.Errorf("%s, %v\nwant %s", text, err, want)
	}
	said := judged(t, "when §.ask.nothing > 3", "").Clauses[0].String()
	if want := "\"when @{SESSION_ID}.ask.nothing > 3\" = missing: false\n  @{SESSION_ID}.ask.nothing = no value"; said != want {
		t.Errorf("said %q, want %q", said, want)
	}
	operands := conditions.Parse("when @{SESSION_ID}.a.b|0 > @{SESSION_ID}.c", "").Operands()
	if want := []string{"@{SESSION_ID}.a.b|0", "@{SESSION_ID}.c"}; !reflect.DeepEqual(operands, want) {
		t.Errorf("operands %q, want %q", operands, want)
	}
}

func TestTheWhenThatWasMeant(t *testing.T) {
	for operand, want := range map[string]string{
		"§.ask.response":                  "",
		"§.ask.response|yes":              "",
		"§.ask.response|§.b.c":            "",
		"plain":                           "",
		"when §.a.b == 1":                 "",
		"§.a.b §.c.d":                     "",
		"§.ask.response == 'red'":         "when §.ask.response == 'red'",
		"§.ask.response = red":            "when §.ask.response == 'red'",
		"'§.ask.response' === \"red\"":    "when §.ask.response == \"red\"",
		"§.ask.response == dark red":      "when §.ask.response == 'dark red'",
		"§.a.x > 3 && !§.b.y":             "when §.a.x > 3 and not §.b.y",
		"§.a.x == red OR §.b.y != blue":   "when §.a.x == 'red' or §.b.y != 'blue'",
		"§.score.value|0 >= 3":            "when §.score.value|0 >= 3",
		"WHEN §.ask.response == 'red'":    "when §.ask.response == 'red'",
		"When: §.ask.response = red":      "when §.ask.response == 'red'",
		"if §.a.x > 3":                    "when §.a.x > 3",
		"§.ask.response equals to 'red'":  "when §.ask.response == '…'",
		"§.ask.response contains x and y": "when §.ask.response == '…'",
	} {
		got, always := conditions.Meant(written(operand).(string))
		if want, _ := written(want).(string); got != want || always != (want != "") {
			t.Errorf("%s: %t %q, want %q", operand, always, got, want)
		}
	}
}
