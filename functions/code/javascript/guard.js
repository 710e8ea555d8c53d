// What a script can reach is made safe to stop, before it begins. Each function here either
// takes a bounded time or passes through bytecode, between whose instructions the engine
// looks whether the script has to end.
((limit) => {
  "use strict";
  const { apply, construct, defineProperty, getPrototypeOf } = Reflect;
  const { isArray } = Array;
  const { isView } = ArrayBuffer;
  const { floor, min, max } = Math;
  const text = String;

  const put = (object, name, value) =>
    defineProperty(object, name, { value, writable: true, configurable: true, enumerable: false });

  // Code that is made of text would be parsed in one go, and a Proxy may answer differently
  // each time it is asked how long it is.
  for (const name of ["eval", "Proxy", "SharedArrayBuffer", "Atomics"]) delete globalThis[name];
  const NoFunction = function Function() {
    throw new TypeError("functions cannot be made of text here");
  };
  NoFunction.prototype = globalThis.Function.prototype;
  for (const f of [function () {}, async function () {}, function* () {}, async function* () {}])
    put(getPrototypeOf(f), "constructor", NoFunction);
  put(globalThis, "Function", NoFunction);

  const tooLong = () => {
    throw new RangeError("more than " + limit.items + " elements");
  };

  // list gives what an array function works on: an array that is not too long, or a copy of
  // what merely looks like one.
  const list = (x) => {
    if (isArray(x)) return x.length > limit.items ? tooLong() : x;
    if (isView(x)) return x;
    if (x === null || x === undefined) throw new TypeError("want an array");
    const from = Object(x), length = floor(+from.length) || 0, to = [];
    if (length > limit.items) tooLong();
    if (length > 0) to.length = length;
    for (let i = 0; i < length; i++) if (i in from) to[i] = from[i];
    return to;
  };
  const array = (x) => {
    if (!isArray(x)) throw new TypeError("want an array");
    return list(x);
  };

  const arrays = Array.prototype;
  for (const name of ["join", "slice", "map", "filter", "forEach", "some", "every", "find", "findIndex", "findLast",
    "findLastIndex", "reduce", "reduceRight", "flatMap", "toReversed", "toSpliced", "with", "toLocaleString"]) {
    const native = arrays[name];
    put(arrays, name, { [name](...args) { return apply(native, list(this), args); } }[name]);
  }
  for (const name of ["shift", "unshift", "splice", "reverse", "fill", "copyWithin"]) {
    const native = arrays[name];
    put(arrays, name, { [name](...args) { return apply(native, array(this), args); } }[name]);
  }

  const start = (given, length, otherwise) => {
    let n = given === undefined ? otherwise : given === Infinity ? length : floor(+given) || 0;
    return n < 0 ? max(n + length, 0) : min(n, length);
  };
  const asItIs = (_, x) => x;
  const same = (a, b) => a === b || (a !== a && b !== b);
  const byText = (a, b) => {
    const x = text(a), y = text(b);
    return x < y ? -1 : x > y ? 1 : 0;
  };
  const sorted = (from, compare) => {
    if (compare !== undefined && typeof compare !== "function") throw new TypeError("want a function that compares");
    const order = compare || byText, undefineds = [];
    let now = [], next = [];
    for (let i = 0; i < from.length; i++)
      if (i in from) {
        const to = from[i] === undefined ? undefineds : now;
        to[to.length] = from[i];
      }
    const n = now.length;
    for (let width = 1; width < n; width *= 2) {
      for (let low = 0; low < n; low += 2 * width) {
        const middle = min(low + width, n), high = min(low + 2 * width, n);
        for (let i = low, j = middle, k = low; k < high; k++)
          next[k] = i < middle && (j >= high || !(order(now[i], now[j]) > 0)) ? now[i++] : now[j++];
      }
      [now, next] = [next, now];
    }
    for (let i = 0; i < undefineds.length; i++) now[n + i] = undefined;
    now.length = n + undefineds.length;
    return now;
  };
  const flatten = (from, depth, to) => {
    list(from);
    for (let i = 0; i < from.length; i++)
      if (i in from) {
        if (depth > 0 && isArray(from[i])) flatten(from[i], depth - 1, to);
        else to[to.length] = from[i];
      }
    return to;
  };
  const methods = {
    indexOf(x, from) {
      const l = list(this);
      for (let i = start(from, l.length, 0); i < l.length; i++) if (i in l && l[i] === x) return i;
      return -1;
    },
    lastIndexOf(x, ...from) {
      const l = list(this);
      let i = from.length === 0 ? l.length - 1 : floor(+from[0]) || 0;
      if (i < 0) i += from.length === 0 ? 0 : l.length;
      for (i = min(i, l.length - 1); i >= 0; i--) if (i in l && l[i] === x) return i;
      return -1;
    },
    includes(x, from) {
      const l = list(this);
      for (let i = start(from, l.length, 0); i < l.length; i++) if (same(l[i], x)) return true;
      return false;
    },
    sort(compare) {
      const l = array(this), to = sorted(l, compare), length = l.length;
      for (let i = 0; i < to.length; i++) l[i] = to[i];
      for (let i = to.length; i < length; i++) delete l[i];
      return l;
    },
    toSorted(compare) {
      const l = list(this), to = sorted(l, compare);
      while (to.length < l.length) to[to.length] = undefined;
      return to;
    },
    flat(depth) {
      return flatten(list(this), depth === undefined ? 1 : +depth || 0, []);
    },
    concat(...more) {
      const to = [];
      for (const x of [this, ...more]) {
        if (!isArray(x)) {
          to[to.length] = x;
          continue;
        }
        list(x);
        const at = to.length;
        to.length = at + x.length;
        for (let i = 0; i < x.length; i++) if (i in x) to[at + i] = x[i];
      }
      return to;
    },
  };
  for (const name of Object.keys(methods)) put(arrays, name, methods[name]);

  // Functions that go through all a list gives without calling anybody.
  const from = Array.from;
  put(Array, "from", { from(x, ...args) { return apply(from, this, [typeof x === "string" || (x && x[Symbol.iterator]) ? x : list(x), ...args]); } }.from);
  const elements = function* (x) {
    if (x !== undefined && x !== null) yield* x;
  };
  for (const name of ["Set", "Map", "WeakSet", "WeakMap"]) {
    const Native = globalThis[name];
    const Checked = { [name]: function (x) {
      if (new.target === undefined) throw new TypeError(name + " wants new");
      return construct(Native, [elements(x)], new.target);
    } }[name];
    Checked.prototype = Native.prototype;
    put(Native.prototype, "constructor", Checked);
    if (Native.groupBy) put(Checked, "groupBy", Native.groupBy);
    put(globalThis, name, Checked);
  }

  if (typeof Iterator === "function")
    put(Iterator.prototype, "drop", { drop(n) {
      if (!(+n >= 0)) throw new RangeError("want a number from 0");
      const left = { [Symbol.iterator]: () => this };
      return (function* () {
        for (const x of left) if (n > 0) n--; else yield x;
      })();
    } }.drop);

  // Texts are searched for texts in as many steps as the product of their lengths.
  const strings = String.prototype;
  for (const [name, symbol] of [["indexOf"], ["lastIndexOf"], ["includes"], ["split", Symbol.split], ["replace", Symbol.replace], ["replaceAll", Symbol.replace]]) {
    const native = strings[name];
    put(strings, name, { [name](what, ...args) {
      if (what === undefined || (typeof what === "object" && what !== null && symbol && what[symbol])) return apply(native, this, [what, ...args]);
      const whole = text(this), part = text(what);
      if (whole.length * part.length > limit.search) throw new RangeError("a text of " + whole.length + " characters is too long to look for one of " + part.length);
      return apply(native, whole, [part, ...args]);
    } }[name]);
  }

  // So are patterns that do not branch, in which the engine never looks up.
  const patterns = RegExp.prototype, { exec } = patterns;
  const source = Reflect.getOwnPropertyDescriptor(patterns, "source").get;
  put(patterns, "exec", { exec(given) {
    const whole = text(given);
    if (apply(source, this, []).length * whole.length > limit.pattern) throw new RangeError("a text of " + whole.length + " characters is too long for this pattern");
    return apply(exec, this, [whole]);
  } }.exec);

  put(String, "raw", { raw(template, ...values) {
    const parts = list(template.raw);
    let to = "";
    for (let i = 0; i < parts.length; i++) to += parts[i] + (i < values.length && i + 1 < parts.length ? values[i] : "");
    return to;
  } }.raw);

  const parse = JSON.parse;
  put(JSON, "parse", { parse(given, ...args) {
    const json = text(given);
    if (json.length > limit.json) throw new RangeError("a JSON text of more than " + limit.json + " characters");
    return apply(parse, JSON, [json, ...args]);
  } }.parse);
  const stringify = JSON.stringify;
  put(JSON, "stringify", { stringify(value, replacer, space) {
    return apply(stringify, JSON, [value, replacer === undefined || replacer === null ? asItIs : replacer, space]);
  } }.stringify);
})
