// Package javascript runs the scripts of steps in QuickJS, an engine for ES2023 that is
// compiled into the binary. A script is the body of an async function: it may await, and
// what it returns is its result. It reaches no file, no network, no module and no process.
//
// The engine bounds memory and looks at its time between instructions, but some of its
// built-in functions are single instructions that may take for ever, such as a search in an
// array of 2**53 places, or of one long text in another. guard.js replaces these by ones
// that can be interrupted, or that refuse what is too long, before a script begins.
//
// Should a script be stuck all the same, its caller does not wait for it: the script is left
// behind and keeps one of the few places there are, so that stuck scripts cannot pile up.
package javascript
