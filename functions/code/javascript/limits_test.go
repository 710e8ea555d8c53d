package javascript_test

import (
	"errors"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stepgraph/stepgraph/functions/code/javascript"
)

// TestEveryScriptEnds runs scripts that would not end, or take all memory. Those that are
// one single instruction of the engine show what guard.js is for.
func TestEveryScriptEnds(t *testing.T) {
	var late []string
	const sparse, like = "new Array(4294967295)", "{length: 2 ** 53 - 1}"
	for i, code := range []string{
		"for (;;);", "try { for (;;); } catch {} finally { for (;;); }", "while (true) try { await (async () => { for (;;); })() } catch {}",
		"async function f() { await 1; return f() } return f()", "const f = () => Promise.resolve().then(f); return f()", "(function f() { setTimeout(f, 1) })(); await new Promise(() => {})",
		"function f() { f() } f()", "let s = 'x'; for (;;) s += s", "const a = []; for (;;) a.push({})", "return 'x'.repeat(1e9)", "return new Uint8Array(1e9)", "return [...new Uint8Array(6e7)]",
		"return /(a+)+$/.exec('a'.repeat(40) + 'b')", "return 'a'.repeat(2e6).indexOf('a'.repeat(1e6) + 'b')", "return 'a'.repeat(2e6).split('a'.repeat(1e6) + 'b')", "return 'a'.repeat(2e6).replaceAll('a'.repeat(1e6) + 'b', '')",
		"return Array.prototype.indexOf.call(" + like + ", 1)", "return " + sparse + ".indexOf(1)", "return " + sparse + ".join('')", "return " + sparse + ".map(x => x)", "return " + sparse + ".sort()", "return " + sparse + ".reverse()",
		"return [].concat(" + sparse + ")", "return [].concat({...[], length: 2 ** 53 - 1, [Symbol.isConcatSpreadable]: true}).length", "return [" + sparse + "].flat()", "return new Set(" + sparse + ").size", "return Array.from(" + like + ")", "return [..." + sparse + "]",
		"return JSON.stringify(" + sparse + ")", "return " + sparse + ".toLocaleString()", "return String(" + sparse + ")", "return Array.prototype.fill.call(" + like + ", 0)", "let a = []; for (let i = 0; i < 45; i++) a = [a, a]; return a.flat(Infinity)",
		"let a = []; for (let i = 0; i < 45; i++) a = [a, a]; return JSON.stringify(a)", "let a = [1]; for (let i = 0; i < 45; i++) a = [a, a]; return a.join()", "return " + sparse + ".values().drop(1e15).next()", "return JSON.parse('[' + '0,'.repeat(5e6) + '0]')",
		"const l = {n: 0, get length() { return this.n++ ? 2 ** 53 - 1 : 1 }}; return Array.prototype.lastIndexOf.call(l, 1)", "const b = [1]; return [1, 2].fill({valueOf() { b.length = 4294967295; return 0 }}).concat({get x() { return 1 }}, b)",
		"const s = 'x'.repeat(1e6), a = new Array(9e5).fill(s + 'a'); return a.indexOf(s + 'b')", "const s = 'x'.repeat(1e6), a = new Array(9e5).fill(s + 'a'); return a.sort().length", "return (2n ** 1000000n) ** 1000n",
		"return new RegExp('a'.repeat(1e5) + 'b').test('a'.repeat(3e6))", "const r = new RegExp('a'.repeat(1e5) + 'b'); Object.defineProperty(r, 'source', {value: 'a'}); return 'a'.repeat(3e6).replace(r, '')", "return 'a'.repeat(3e6).match('a'.repeat(1e6) + 'b')",
		"return Promise.all(" + sparse + ")", "return Object.fromEntries(" + sparse + ".entries())", "return Reflect.apply(Math.max, 0, " + like + ")", "return String.raw({raw: " + like + "})", "return new Uint8Array(" + sparse + ").length", "return structuredClone(" + sparse + ")",
	} {
		if i%slower != 0 {
			continue
		}
		begun := time.Now()
		_, err := javascript.Run(t.Context(), javascript.Program{Code: code, Time: 200 * time.Millisecond, Memory: 32 << 20})
		var e *javascript.Error
		if err != nil && !errors.As(err, &e) {
			t.Errorf("%s: %v", code, err)
		}
		if time.Since(begun) > 2*time.Second { // it was left behind
			late = append(late, code)
		}
	}
	for end := time.Now().Add(time.Minute); javascript.Running() > 0; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%d scripts run on, of these: %s", javascript.Running(), strings.Join(late, "\n"))
		}
	}
	if len(late) > 3*slower {
		t.Errorf("%d scripts were late: %s", len(late), strings.Join(late, "\n"))
	}
}

func TestTimeIsNamed(t *testing.T) {
	_, err := javascript.Run(t.Context(), javascript.Program{Code: "for (;;);", Time: 50 * time.Millisecond, Memory: 32 << 20})
	if err == nil || !strings.Contains(err.Error(), "stopped after 50ms") {
		t.Errorf("got %v", err)
	}
	_, err = javascript.Run(t.Context(), javascript.Program{Code: "const a = []; for (;;) a.push(new Array(100).fill(1))", Time: 10 * time.Second, Memory: 16 << 20})
	if err == nil || !strings.Contains(err.Error(), "out of memory") {
		t.Errorf("got %v", err)
	}
}

// TestMemoryIsGivenBack runs many scripts that fill their memory.
func TestMemoryIsGivenBack(t *testing.T) {
	before := resident(t)
	for range 100 / slower {
		_, err := javascript.Run(t.Context(), javascript.Program{Code: "const a = []; for (;;) a.push({})", Time: time.Minute, Memory: 16 << 20})
		if err == nil {
			t.Fatal("a script may hold any amount of memory")
		}
	}
	runtime.GC()
	if grown := resident(t) - before; grown > 200<<20 {
		t.Errorf("grew by %d MB", grown>>20)
	}
}
