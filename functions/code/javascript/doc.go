// Package javascript runs scripts of steps in QuickJS, an ES2023 engine that is compiled into
// the binary. A script is the body of an async function: it may await, and its return value is
// the result. It has no access to files, network, modules or processes.
//
// The engine limits memory and checks the time between instructions, but some built-in
// functions are single instructions that may run for a very long time, such as a search in an
// array of 2**53 elements, or of one long text in another. Before a script starts, guard.js
// replaces them by functions that can be interrupted or that refuse long inputs.
//
// If a script still does not end, its caller stops waiting: the script keeps one of a small
// number of slots, so that the number of such scripts is bounded.
package javascript
