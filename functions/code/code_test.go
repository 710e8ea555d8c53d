package code_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/functions/code"
)

type output struct {
	Result           json.RawMessage
	Error, Traceback *string
	Printed          string
}

func exec(t *testing.T, o code.Options, in map[string]any) output {
	t.Helper()
	out, err := call(t.Context(), o, in)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func call(ctx context.Context, o code.Options, in map[string]any) (output, error) {
	text, err := json.Marshal(in)
	if err != nil {
		return output{}, err
	}
	var out output
	raw, err := code.Spec(o).Function.Call(ctx, text)
	if err == nil {
		err = json.Unmarshal(raw, &out)
	}
	return out, err
}

func TestResults(t *testing.T) {
	tests := []struct{ name, script, variables, want string }{
		{"length", `result = len(word)`, `{"word":"hello world"}`, `11`},
		{"counter", `result = {"n": int(prev) + 1, "again": int(prev) + 1 < 7}`, `{"prev":"0"}`, `{"n":1,"again":true}`},
		{"variables may be assigned to", "n = n + 1\nn += 1\nresult = n", `{"n":5}`, `7`},
		{"variables may be changed", "l.append(3)\nd['k'] = l\nresult = d", `{"l":[1,2],"d":{"a":null}}`, `{"a":null,"k":[1,2,3]}`},
		{"variables as a whole", `result = variables["from"] + variables["my var"]`, `{"from":"a","my var":"b"}`, `"ab"`},
		{"a variable called variables", `result = variables`, `{"variables":1}`, `1`},
		{"order of objects", `result = {k: v for k, v in d.items()}`, `{"d":{"z":1,"a":2,"m":3}}`, `{"z":1,"a":2,"m":3}`},
		{"whole floats", `result = [7.0, 7 / 2, 1e21, -0.5, 2 * 3.5]`, `{}`, `[7,3.5,1e+21,-0.5,7]`},
		{"large numbers", `result = n * n`, `{"n":9007199254740993}`, `81129638414606699710187514626049`},
		{"keys that are no text", `result = {1: "a", True: "b", None: "c", 2.5: "d"}`, `{}`, `{"1":"a","true":"b","null":"c","2.5":"d"}`},
		{"tuples and sets", `result = [(1, 2), set([3, 3]), (), {}, []]`, `{}`, `[[1,2],[3],[],{},[]]`},
		{"text", `result = "<é>\n\"" + 'x'`, `{}`, `"<é>\n\"x"`},
		{"none", `result = None`, `{}`, `null`},
		{"loops at the top", "result = 0\nwhile result < 10:\n  for i in range(3):\n    if i == 1: continue\n    result += i", `{}`, `10`},
		{"functions", "def f(x, *more, y=2, **named):\n  return x + y + len(more) + named['z']\nresult = f(z=10, *[1, 5], **{'y': 3})", `{}`, `15`},
		{"lambda and comprehension", `result = [(lambda x: x * x)(i) for i in range(5) if i % 2 == 0]`, `{}`, `[0,4,16]`},
		{"sum, round, sorted, min", `result = [sum([1, 2.5]), round(2.5), round(3.14159, 2), sorted([3, 1, 2], reverse=True), min([4, 2]), sum([[1], [2]], [])]`, `{}`, `[3.5,2,3.14,[3,2,1],2,[1,2]]`},
		{"json", `result = json.decode('{"a":[1,2.5]}')["a"] + [json.encode({"b": 1})]`, `{}`, `[1,2.5,"{\"b\":1}"]`},
		{"math", `result = [math.floor(2.7), math.sqrt(16), math.pi > 3]`, `{}`, `[2,4,true]`},
		{"text methods", `result = ["a,b".split(","), "-".join(["x", "y"]), "{}:{k}".format(1, k=2), "%s=%d" % ("n", 3), "abc".replace("b", "-"), "AbC".lower(), " x ".strip()]`, `{}`, `[["a","b"],"x-y","1:2","n=3","a-c","abc","x"]`},
		{"slices", `result = [[1, 2, 3, 4][1:3], "hello"[::-1], [1, 2, 3][-1], "abc"[1:]]`, `{}`, `[[2,3],"olleh",3,"bc"]`},
		{"comparisons", `result = [1 == 1.0, [1] == [1], "a" in "cat", 2 in [1, 2], 3 not in {3: 1}, (1, 2) < (1, 3), 5 in range(9)]`, `{}`, `[true,true,true,true,false,true,true]`},
		{"in place", "a = [1]\nb = a\na += [2]\nd = {'x': 1}\ne = d\nd |= {'y': 2}\nm = [[0]]\nm[0] += [1]\nm[0][0] -= 5\nresult = [b, e, m]", `{}`, `[[1,2],{"x":1,"y":2},[[-5,1]]]`},
		{"in place once", "calls = []\ndef f():\n  calls.append(1)\n  return 0\nl = [1]\nl[f()] += 1\nresult = [l, len(calls)]", `{}`, `[[2],1]`},
		{"targets", "(a, [b, c]), d = (1, [2, 3]), 4\nresult = [a, b, c, d]", `{}`, `[1,2,3,4]`},
		{"conditional", `result = ["yes" if 1 > 0 else "no", not True, -3, 1 and 0, 0 or "x"]`, `{}`, `["yes",false,-3,0,"x"]`},
		{"getattr", `result = [getattr("a", "upper")(), getattr("a", "none", 7), hasattr([], "append")]`, `{}`, `["A",7,true]`},
		{"key function", `result = sorted(["bb", "a"], key=len)`, `{}`, `["a","bb"]`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			out := exec(t, code.Options{}, map[string]any{"code": test.script, "variables": json.RawMessage(test.variables)})
			if out.Error != nil || string(out.Result) != test.want {
				t.Errorf("result %s, error %s\nwant %s", out.Result, show(out.Error), test.want)
			}
		})
	}
}

func TestErrorsAreOutputs(t *testing.T) {
	tests := []struct{ name, script, err, traceback string }{
		{"division", "x = 1\nresult = x/0", "floating-point division by zero", "code:2:11"},
		{"in a function", "def f():\n  return [][0]\nresult = f()", "index 0 out of range", "code:2:12: in f"},
		{"no result", "x = 1", `the script has no result: assign what it finds to the variable "result"`, ""},
		{"undefined", "result = open('f')", "undefined: open", "code:1:10"},
		{"fail", `fail("no stock:", 3)`, "fail: no stock: 3", "code:1:5"},
		{"missing key", `result = {}["k"]`, `key "k" not in dict`, ""},
		{"no such method", `result = "a".uper()`, "string has no .uper field or method", "code:1"},
		{"load", `load("os", "path")`, "load not implemented", ""},
		{"recursion", "def f(): return f()\nresult = f()", "function f called recursively", ""},
		{"a function as result", "result = len", "result: JSON has no form for a builtin_function_or_method", ""},
		{"not a number", `result = float("nan")`, "result: JSON has no form for the number nan", ""},
		{"tuple as key", `result = {(1,): 2}`, "result: JSON has no form for the key tuple", ""},
		{"a list that holds itself", "result = []\nresult.append(result)", "nested more than 200 deep", ""},
		{"large result", `result = ["x" * 1000] * 2000`, "result: larger than 1048576 bytes", ""},
		{"import", "import os\nresult = os.environ", "which has no import: Python is off here", "code:1:1"},
		{"f-string", `result = f"{x}"`, `no f"..." text`, "code:1"},
		{"try", "try:\n  x = 1\nexcept:\n  pass", "no try: Python is off", ""},
		{"is None", "result = 1 if None is None else 2", "no is (use ==): Python is off", ""},
		{"annotations", "def f(x: int) -> int:\n  return x", "no types of parameters: Python is off", ""},
		{"power", "result = 2 ** 3", "no **: Python is off", ""},
		{"no Python either", "result = = 1", "got '=', want primary expression", "code:1:10"},
		{"our calls have no names", "result = $attr", "unexpected input character '$'", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			out := exec(t, code.Options{}, map[string]any{"code": test.script})
			if out.Error == nil || !strings.Contains(*out.Error, test.err) || string(out.Result) != "null" {
				t.Fatalf("result %s, error %s\nwant %q", out.Result, show(out.Error), test.err)
			}
			if !strings.Contains(show(out.Traceback), test.traceback) {
				t.Errorf("traceback %s, want %q", show(out.Traceback), test.traceback)
			}
			if test.traceback == "" {
				return
			}
			var step *function.CallError
			if _, err := call(t.Context(), code.Options{}, map[string]any{"code": test.script, "raise": true}); !errors.As(err, &step) || step.Message != *out.Error || step.Transient {
				t.Errorf("raised %v, want %q", err, *out.Error)
			}
		})
	}
}

// Each of these would take hours or gigabytes if the interpreter were left to itself.
func TestLimits(t *testing.T) {
	share := "l = [0]\nfor i in range(60): l = [l, l]\n"
	wide := "l = 0\nfor i in range(9): l = [l] * 1000\nm = 0\nfor i in range(9): m = [m] * 1000\n"
	tests := []struct{ name, script, want string }{
		{"endless loop", "while True: pass", "stopped after 10000000 steps"},
		{"long text", `result = "x" * 1000000000`, "too much memory"},
		{"long list", `result = [0] * 500000000`, "too much memory"},
		{"longer than a number", `result = "x" * (1 << 100)`, "too much memory"},
		{"nothing, often", "s = ''\nresult = s * (1 << 62)\ns = []\nresult = s * (1 << 62)", "too much memory"},
		{"doubling text", "s = 'x'\nwhile True: s += s", "too much memory"},
		{"doubling text by +", "s = 'x'\nwhile True: s = s + s", "too much memory"},
		{"doubling a list", "l = [1]\nwhile True: l += l", "too much memory|more than 1000000 elements"},
		{"doubling by extend", "l = [1]\nwhile True: l.extend(l)", "too much memory|more than 1000000 elements"},
		{"keeping copies", "l = list(range(100000))\nk = []\nwhile True: k.append(l[:])", "too much memory"},
		{"filling a dict", "d = {}\nfor i in range(10000000): d[i] = i", "too much memory|steps"},
		{"squaring", "n = 3\nwhile True: n = n * n", "number is longer"},
		{"shifting", "n = 1\nwhile True: n = n << 500", "number is longer|too much memory"},
		{"a list of a range", `result = list(range(1000000000))`, "more than 1000000 elements"},
		{"sum of a range", `result = sum(range(1000000000))`, "more than 1000000 elements"},
		{"any of a range", `result = any(range(0, 1000000000, 1))`, "more than 1000000 elements"},
		{"spread", "def f(*a): pass\nf(*range(1000000000))", "more than 1000000 elements"},
		{"extend by a range", `[].extend(range(1000000000))`, "more than 1000000 elements"},
		{"text of what is shared", share + "result = str(l)", "more than 1000000 elements"},
		{"format of what is shared", share + `result = "%s" % l`, "more than 1000000 elements"},
		{"format often", `result = "{0}" * 1000 + "".join(["x"]) and ("{0}" * 100000).format("x" * 100000)`, "too much memory"},
		{"percent often", `result = ("%(a)s" * 100000) % {"a": "x" * 100000}`, "too much memory"},
		{"json of what is shared", share + "result = json.encode(l)", "more than 1000000 elements"},
		{"print of what is shared", share + "print(l)", "more than 1000000 elements"},
		{"fail with what is shared", share + "fail(l)", "more than 1000000 elements"},
		{"result that is shared", share + "result = l", "larger than 1048576 bytes"},
		{"comparing", wide + "result = l == m", "more than 1000000 elements"},
		{"searching", wide + "result = l in [m]", "more than 1000000 elements"},
		{"index", wide + "result = [m].index(l)", "more than 1000000 elements"},
		{"keys", strings.ReplaceAll(wide, "[l]", "(l,)") + "result = {l: 1}", "more than 1000000 elements"},
		{"looking keys up", strings.ReplaceAll(wide, "[l]", "(l,)") + "d = {}\nresult = d[l]", "more than 1000000 elements"},
		{"replace", "s = 'x' * 100000\nresult = s.replace('x', s)", "too much memory"},
		{"replace nothing", "s = 'x' * 100000\nresult = s.replace('', s)", "too much memory"},
		{"join", "s = 'x' * 100000\nresult = ''.join([s] * 100000)", "more than 4194304 bytes"},
		{"join by a long text", "s = 'x' * 100000\nresult = s.join(['a'] * 100000)", "too much memory"},
		{"through getattr", "s = 'x' * 100000\nresult = getattr(s, 'replace')('x', s)", "too much memory"},
		{"deep json", "result = json.decode('[' * 1000000)", "nested more than 200 deep"},
		{"deep value", "l = []\nfor i in range(100000): l = [l]\nresult = str(l)", "nested more than 200 deep"},
		{"deep expression", "result = 1" + strings.Repeat("+1", 40000), "nests expressions more than 2000 deep"},
		{"long script", "#" + strings.Repeat("x", 200<<10), "longer than 102400 bytes"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			start := time.Now()
			out := exec(t, code.Options{Time: time.Minute}, map[string]any{"code": test.script})
			runtime.ReadMemStats(&after)
			found := false
			for want := range strings.SplitSeq(test.want, "|") {
				found = found || strings.Contains(show(out.Error), want)
			}
			if !found {
				t.Errorf("error %s, want %q", show(out.Error), test.want)
			}
			if took := time.Since(start); took > 20*time.Second {
				t.Errorf("took %s", took)
			}
			if grew := (int64(after.Sys) - int64(before.Sys)) >> 20; grew > 600 {
				t.Errorf("needed %d MB", grew)
			}
		})
	}
}

func TestTimeLimit(t *testing.T) {
	o := code.Options{Steps: 1 << 62, Time: 20 * time.Millisecond}
	if out := exec(t, o, map[string]any{"code": "while True: pass"}); show(out.Error) != "the script was stopped after 20ms" {
		t.Errorf("error %s", show(out.Error))
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := call(ctx, code.Options{}, map[string]any{"code": "while True: pass"}); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled script gives %v", err)
	}
}

func TestBindingsAreValues(t *testing.T) {
	ctx := function.WithCall(t.Context(), &function.Call{Bindings: json.RawMessage(`{"ref_1":"hello\"] + [world","ref_2":[1]}`)})
	if out, err := call(ctx, code.Options{}, map[string]any{"code": "result = [ref_1]"}); err != nil || string(out.Result) != `["hello\"] + [world"]` {
		t.Errorf("result %s, error %s, %v", out.Result, show(out.Error), err)
	}
	if out, err := call(ctx, code.Options{}, map[string]any{"code": "ref_2.append(2)"}); err != nil || !strings.Contains(show(out.Error), "frozen") {
		t.Errorf("a binding was changed: error %s, %v", show(out.Error), err)
	}
}

func TestPrinted(t *testing.T) {
	if out := exec(t, code.Options{}, map[string]any{"code": "print('a', 1)\nprint([2])\nresult = 1"}); out.Printed != "a 1\n[2]\n" {
		t.Errorf("printed %q", out.Printed)
	}
	if out := exec(t, code.Options{}, map[string]any{"code": "for i in range(3000): print('é' * 100)\nresult = 1"}); len(out.Printed) > 10<<10 {
		t.Errorf("printed %d bytes", len(out.Printed))
	}
}

func TestFiles(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "upper.star"), []byte("result = input.upper()"), 0o600); err != nil {
		t.Fatal(err)
	}
	outside := filepath.Join(t.TempDir(), "outside.star")
	if err := os.WriteFile(outside, []byte("result = 1"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(dir, "link.star")); err != nil {
		t.Fatal(err)
	}
	o := code.Options{Dir: dir}
	if out := exec(t, o, map[string]any{"file_path": "upper.star", "variables": map[string]any{"input": "ada"}}); string(out.Result) != `"ADA"` {
		t.Errorf("result %s, error %s", out.Result, show(out.Error))
	}
	if out := exec(t, o, map[string]any{"file_path": "none.star"}); show(out.Error) != `file_path: there is no script "none.star" in the configured folder` {
		t.Errorf("error %s", show(out.Error))
	}
	for _, path := range []string{outside, "../" + filepath.Base(filepath.Dir(outside)) + "/outside.star", "link.star", "."} {
		if out := exec(t, o, map[string]any{"file_path": path}); out.Error == nil || string(out.Result) != "null" {
			t.Errorf("file_path %s gives %s", path, out.Result)
		}
	}
	if _, err := call(t.Context(), code.Options{}, map[string]any{"file_path": "upper.star"}); function.KindOf(err) != function.KindDisabled {
		t.Errorf("without a folder: %v", err)
	}
}

func TestRefusals(t *testing.T) {
	tests := []struct {
		in   map[string]any
		kind string
		want string
	}{
		{map[string]any{}, function.KindBadInput, "neither code nor file_path"},
		{map[string]any{"code": "result = 1", "language": "python"}, function.KindDisabled, "Python is off"},
		{map[string]any{"code": "1", "language": "perl"}, function.KindBadInput, `not "perl"`},
		{map[string]any{"code": "result = 1", "variables": []int{1}}, function.KindBadInput, "variables: want an object"},
	}
	for _, test := range tests {
		if _, err := call(t.Context(), code.Options{}, test.in); function.KindOf(err) != test.kind || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%v gives %v (%s)", test.in, err, function.KindOf(err))
		}
	}
}

func TestCheckAtLoadTime(t *testing.T) {
	check := code.Spec(code.Options{}).Check
	if found := check(json.RawMessage(`{"code":"result = ="}`)); len(found) != 1 || found[0].Level != "error" {
		t.Errorf("a broken script has problems %v", found)
	}
	for _, text := range []string{`{"code":"result = 1"}`, `{"code":"result = @{SESSION_ID}.a ="}`, `{"file_path":"x"}`, `[`} {
		if found := check(json.RawMessage(text)); found != nil {
			t.Errorf("%s has problems %v", text, found)
		}
	}
}

func FuzzValues(f *testing.F) {
	for _, seed := range []string{`1`, `-0`, `1.5e300`, `{"b":1,"a":[true,null,"x"]}`, `123456789012345678901234567890`, `"\ud800"`, `[[[]]]`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if !json.Valid([]byte(text)) {
			return
		}
		out, err := call(t.Context(), code.Options{}, map[string]any{"code": "result = v", "variables": json.RawMessage(fmt.Sprintf(`{"v":%s}`, text))})
		if err != nil || out.Error != nil {
			return // out of range, or too deep
		}
		again := exec(t, code.Options{}, map[string]any{"code": "result = v", "variables": map[string]any{"v": out.Result}})
		if string(again.Result) != string(out.Result) {
			t.Errorf("%s becomes %s and then %s", text, out.Result, again.Result)
		}
		var a, b any
		if json.Unmarshal([]byte(text), &a) == nil && json.Unmarshal(out.Result, &b) == nil && fmt.Sprint(a) != fmt.Sprint(b) && !strings.Contains(text, "-0") {
			t.Errorf("%s is not %s", text, out.Result)
		}
	})
}

func FuzzScripts(f *testing.F) {
	f.Add("result = [x for x in range(3)]\nresult[0] += 1")
	f.Add("def f(a, b=1, *c, **d): return a.b[c:d]\nresult = {1: f}")
	f.Fuzz(func(t *testing.T, script string) {
		if _, err := call(t.Context(), code.Options{Steps: 10_000, Memory: 1 << 20}, map[string]any{"code": script}); err != nil && function.KindOf(err) != function.KindBadInput {
			t.Errorf("%q gives %v", script, err)
		}
	})
}

func show(text *string) string {
	if text == nil {
		return "<nil>"
	}
	return *text
}
