// What stands around a script: it is called with its values, what it prints is kept, and
// its result or error is written down as JSON. Time does not pass for its timers: when
// nothing else is left to do, the one that is due next is called.
((limit) => {
  "use strict";
  const { apply } = Reflect;
  const { stringify, parse } = JSON;
  const text = String;
  const asItIs = (_, x) => x; // is called for each value, so that writing can be stopped
  const outcome = { done: false, printed: "" };
  let timers = [], count = 0, now = 0;

  const shown = (x) => {
    if (typeof x === "string") return x;
    if (x instanceof Error) return x.stack ? text(x) + "\n" + x.stack : text(x);
    if (typeof x === "object" && x !== null) {
      try {
        return stringify(x, asItIs);
      } catch {}
    }
    return typeof x === "symbol" ? x.description || "Symbol()" : text(x);
  };
  const print = (...args) => {
    let line = "";
    for (let i = 0; i < args.length; i++) line += (i ? " " : "") + shown(args[i]);
    if (outcome.printed.length < limit.printed) outcome.printed = (outcome.printed + line + "\n").slice(0, limit.printed);
  };
  globalThis.console = { log: print, info: print, warn: print, error: print, debug: print };
  globalThis.setTimeout = (f, after, ...args) => {
    if (typeof f !== "function") throw new TypeError("setTimeout wants a function");
    timers[timers.length] = { id: ++count, at: now + (+after > 0 ? +after : 0), f, args };
    return count;
  };
  globalThis.clearTimeout = (id) => {
    for (let i = 0; i < timers.length; i++) if (timers[i] && timers[i].id === id) timers[i] = null;
  };
  globalThis.require = (name) => {
    throw new Error("module " + shown(name) + " is not here: scripts have no modules");
  };

  const failed = (e) => {
    outcome.done = true;
    try {
      outcome.error = text(e);
      outcome.stack = e instanceof Error ? text(e.stack) : "";
    } catch {
      outcome.error = "the script threw something that has no text";
    }
  };
  return {
    // start calls a script; make gives the function once it has its values.
    start(make, names, values) {
      (async () => {
        try {
          const given = parse(values), wanted = parse(names), args = [];
          for (let i = 0; i < wanted.length; i++) args[i] = given[wanted[i]];
          const result = await apply(make, undefined, args)();
          outcome.result = stringify(result, asItIs);
          outcome.done = true;
        } catch (e) {
          failed(e);
        }
      })();
    },
    // step calls the next timer and tells whether there was one.
    step() {
      let next = -1;
      for (let i = 0; i < timers.length; i++)
        if (timers[i] && (next < 0 || timers[i].at < timers[next].at)) next = i;
      if (next < 0) return false;
      const t = timers[next];
      timers[next] = null;
      now = t.at;
      try {
        apply(t.f, undefined, t.args);
      } catch (e) {
        if (!outcome.done) failed(e);
      }
      return true;
    },
    state() {
      return stringify(outcome);
    },
    over() {
      return outcome.done;
    },
  };
})
