package javascript_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stepgraph/stepgraph/functions/code/javascript"
)

func run(t *testing.T, code, values string) (javascript.Result, error) {
	t.Helper()
	p := javascript.Program{Code: code, Values: json.RawMessage(values), Time: 10 * time.Second, Memory: 64 << 20}
	var named map[string]json.RawMessage
	if values != "" {
		if err := json.Unmarshal([]byte(values), &named); err != nil {
			t.Fatal(err)
		}
	}
	for name := range named {
		p.Names = append(p.Names, name)
	}
	return javascript.Run(t.Context(), p)
}

func TestResults(t *testing.T) {
	for _, test := range []struct{ name, code, values, want string }{
		{"a value", `return 6 * 7`, ``, `42`},
		{"nothing", `const q = 1`, ``, `null`},
		{"variables of any name", `return $input + a + variables["my var"]`, `{"$input":"x","a":1,"variables":{"my var":"y"}}`, `"x1y"`},
		{"declared again", "let a = 2\nconst $b = a\nreturn $b", `{"a":1,"$b":3}`, `2`},
		{"assigned to", `n += 1; $flow.state.k.push(n); return $flow`, `{"n":1,"$flow":{"state":{"k":[]}}}`, `{"state":{"k":[2]}}`},
		{"order of objects", `return {...d, b: 1}`, `{"d":{"z":1,"a":"<é>"}}`, `{"z":1,"a":"<é>","b":1}`},
		{"await", `const f = async x => x * 2; return (await Promise.all([f(1), f(2)])).concat(await f(3))`, ``, `[2,4,6]`},
		{"timers in order, at once", `const o = []; setTimeout(() => o.push(2), 2e9); setTimeout(() => o.push(1), 5); const id = setTimeout(() => o.push(9), 6); clearTimeout(id); await new Promise(r => setTimeout(r, 3e9)); return o`, ``, `[1,2]`},
		{"a date", `return new Date(0)`, ``, `"1970-01-01T00:00:00.000Z"`},
		{"no number", `return [NaN, undefined, () => 1]`, ``, `[null,null,null]`},
		{"modern syntax", "class A { #x = 1; get x() { return this.#x ?? 0 } static s = 2 }\nreturn [new A().x, A.s, [...'ab'], ({a: {b: 1}})?.a?.b, 2n ** 3n > 7n, 1_000, [1, 2].at(-1), [...[1, 2, 3].values().drop(1).map(x => x * 2)]]", ``, `[1,2,["a","b"],1,true,1000,2,[4,6]]`},
		{"raw", "return String.raw`a\\n${1}b`", ``, `"a\\n1b"`},
		{"texts", "return `${1 + 1}` + 'a-b-c'.split('-') + 'aXbX'.replaceAll('X', '-') + 'abc'.indexOf('c') + 'aa'.replace(/a/g, x => x + 1) + 'x,y'.includes(',')", ``, `"2a,b,ca-b-2a1a1true"`},
		{"arrays", `const a = [3, 1, , 2, undefined]; return [a.sort(), [10, 9, 1].sort(), [10, 9, 1].toSorted((x, y) => x - y), [1, [2, [3, [4]]]].flat(2), [1].concat(2, [3, [4]]), [1, NaN].includes(NaN), [1, 2, 1].indexOf(1, 1), [1, 2, 1].lastIndexOf(1, -2), [1, 2, 3].reverse(), [1, 2, 3].splice(1, 1)]`, ``,
			`[[1,2,3,null,null],[1,10,9],[1,9,10],[1,2,3,[4]],[1,2,3,[4]],true,2,0,[3,2,1],[2]]`},
		{"what looks like an array", `return (function () { return [Array.prototype.map.call(arguments, x => x + 1), Array.from({length: 2}, (_, i) => i), Array.prototype.join.call("ab", "-"), Array.from("ab")] })(1, 2)`, ``, `[[2,3],[0,1],"a-b",["a","b"]]`},
		{"sets and maps", `const s = new Set([1, 2, 2]), m = new Map([["a", 1]]); class T extends Set {}; return [s.size, [...s], m.get("a"), [...m], s instanceof Set, s.constructor === Set, new T([1]).size, Object.fromEntries(Map.groupBy([1, 2, 3], x => x % 2 ? "odd" : "even"))]`, ``, `[2,[1,2],1,[["a",1]],true,true,1,{"odd":[1,3],"even":[2]}]`},
		{"undefined", `return undefined`, ``, `null`},
		{"fields in the order given", `return Object.keys($flow)`, `{"$flow":{"state":{},"chatId":"c","input":"i","artifacts":null}}`, `["state","chatId","input","artifacts"]`},
		{"names with a dollar", `return [$input, $vars.v, $flow.state.k + 1, $name_1, typeof $flow.sessionId]`, `{"$input":"40","$vars":{"v":"w"},"$flow":{"state":{"k":42},"sessionId":"s"},"$name_1":[]}`, `["40","w",43,[],"string"]`},
		{"dates", `const d = new Date("2026-02-03T04:05:06Z"); return [d.toISOString(), Date.UTC(2026, 1, 3), d.getUTCDay(), new Date(d.getTime() + 864e5).toISOString().slice(0, 10), Math.abs(Date.now() - new Date()) < 1e4, Date.parse("2026-01-01")]`, ``, `["2026-02-03T04:05:06.000Z",1770076800000,2,"2026-02-04",true,1767225600000]`},
		{"JSON and Math", `return [JSON.parse('{"a":[1]}').a, JSON.stringify({a: 1}, null, 2), Math.max(1, 2), Math.round(2.5), Math.hypot(3, 4), Number("40") + 2, parseFloat("12px"), parseInt("ff", 16)]`, ``, `[[1],"{\n  \"a\": 1\n}",2,3,5,42,12,255]`},
		{"regular expressions", "return ['a1b22'.match(/\\d+/g), /(?<y>\\d{4})-(\\d\\d)/.exec('on 2026-05').groups.y, 'Ada L'.replace(/(\\w+) (\\w)/, '$2. $1'), /^\\p{Lu}/u.test('Été'), 'a,b;c'.split(/[,;]/)]", ``, `[["1","22"],"2026","L. Ada",true,["a","b","c"]]`},
		{"awaits in a body", `try { await Promise.reject(new Error("x")) } catch (e) { return await Promise.resolve(String(e)) }`, ``, `"Error: x"`},
		{"a function is one", `return (() => 1) instanceof Function`, ``, `true`},
		{"a comment at the end", `return 1 // one`, ``, `1`},
		{"sorting is stable", `return [[1,"b"],[0,"a"],[1,"a"],[0,"b"]].sort((x, y) => x[0] - y[0]).map(x => x.join("")).join()`, ``, `"0a,0b,1b,1a"`},
	} {
		t.Run(test.name, func(t *testing.T) {
			r, err := run(t, test.code, test.values)
			if err != nil || string(r.Value) != test.want {
				t.Errorf("got %s, %v, want %s", r.Value, err, test.want)
			}
		})
	}
}

func TestPrinted(t *testing.T) {
	r, err := run(t, `console.log("a", {b: [1]}, undefined, 2n, null); console.error(new Error("oh")); return 1`, ``)
	if err != nil || !strings.HasPrefix(r.Printed, "a {\"b\":[1]} undefined 2 null\nError: oh\n") {
		t.Errorf("got %q, %v", r.Printed, err)
	}
	r, err = run(t, `for (let i = 0; i < 1e5; i++) console.log("é".repeat(100)); return 1`, ``)
	if err != nil || len([]rune(r.Printed)) != 10<<10 {
		t.Errorf("kept %d, %v", len([]rune(r.Printed)), err)
	}
}

func TestFaults(t *testing.T) {
	for _, test := range []struct{ name, code, message, stack string }{
		{"thrown", "\n  throw new Error('boom')", "Error: boom", "(line 2, column 18)"},
		{"in a function", "function f() {\n null.x\n}\nf()", "TypeError: cannot read property 'x' of null", "f (line 2"},
		{"the first line", "throw new Error('boom')", "Error: boom", "(line 1, column 16)"},
		{"syntax", "let a = 1\nreturn a +\n\n", "SyntaxError: ", "line 5"},
		{"no such thing", "return fetch('http://localhost')", "ReferenceError: 'fetch' is not defined", "line 1"},
		{"as String gives it", "class Odd extends Error { constructor(m) { super(m); this.name = 'Odd' } }\nthrow new Odd('not even')", "Odd: not even", "line 2"},
		{"a text", "throw 'plain'", "plain", ""},
		{"without a message", "throw new TypeError()", "TypeError", ""},
		{"not an error", "throw {a: 1}", "[object Object]", ""},
		{"an error that cannot be written", "throw {toString() { throw 1 }}", "no text", ""},
		{"rejected", "await Promise.reject(new RangeError('far'))", "RangeError: far", "line 1"},
		{"in a timer", "setTimeout(() => { throw new Error('late') }, 1); await new Promise(() => {})", "Error: late", "line 1"},
		{"waits for nothing", "await new Promise(() => {})", "waits for something that never comes", ""},
		{"no JSON", "return 10n", "BigInt", ""},
		{"a circle", "const a = []; a[0] = a; return a", "circular", ""},
		{"too large", "return 'x'.repeat(2e6)", "larger than 1048576 bytes", ""},
		{"modules", "const fs = require('fs')", `module fs is not here`, "line 1"},
		{"import", "return await import('std')", "could not load module 'std'", ""},
		{"import of a file", "return await import('/etc/passwd')", "could not load module", ""},
		{"eval", "return eval('1')", "'eval' is not defined", ""},
		{"code made of text", "return Function('return 1')()", "functions cannot be made of text", ""},
		{"code made of text, hidden", "return (async () => {}).constructor('return 1')()", "functions cannot be made of text", ""},
		{"code made of text, by inheritance", "return Object.getPrototypeOf(function* () {}).constructor('')", "functions cannot be made of text", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := run(t, test.code, "")
			var e *javascript.Error
			if !errors.As(err, &e) || !strings.Contains(e.Message, test.message) || !strings.Contains(e.Stack, test.stack) || strings.Contains(e.Stack, "131") {
				t.Errorf("got %v at %q", err, e.Stack)
			}
		})
	}
}

func TestNothingOfTheHost(t *testing.T) {
	r, err := run(t, `return ["std", "os", "bjson", "process", "fetch", "print", "scriptArgs", "Worker", "Atomics", "Proxy", "WebAssembly", "navigator", "Deno"].filter(n => n in globalThis)`, "")
	if err != nil || string(r.Value) != "[]" {
		t.Errorf("there is %s, %v", r.Value, err)
	}
}

func TestScriptsDoNotMeet(t *testing.T) {
	if _, err := run(t, `globalThis.left = 1; Array.prototype.x = 1; return 1`, ""); err != nil {
		t.Fatal(err)
	}
	if r, err := run(t, `return [typeof left, [].x === undefined]`, ""); err != nil || string(r.Value) != `["undefined",true]` {
		t.Errorf("got %s, %v", r.Value, err)
	}
}

func TestCheck(t *testing.T) {
	if err := javascript.Check("const a = await f($x)\nreturn a", nil); err != nil {
		t.Errorf("refused: %v", err)
	}
	var e *javascript.Error
	if err := javascript.Check("return 1 +\n* 2", nil); !errors.As(err, &e) || !strings.Contains(e.Stack, "line 2") {
		t.Errorf("got %v", err)
	}
	for name, want := range map[string]bool{"a": true, "$input": true, "_": true, "a1": true, "1a": false, "": false, "a b": false, "class": false, "await": false, "a-b": false} {
		if javascript.Identifier(name) != want {
			t.Errorf("%q: %t", name, !want)
		}
	}
}

func TestEndOfContext(t *testing.T) {
	why := errors.New("enough")
	ctx, cancel := context.WithTimeoutCause(t.Context(), 50*time.Millisecond, why)
	defer cancel()
	_, err := javascript.Run(ctx, javascript.Program{Code: "for (;;);", Time: time.Minute, Memory: 64 << 20})
	if !errors.Is(err, why) {
		t.Errorf("got %v", err)
	}
}
