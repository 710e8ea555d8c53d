// Package functions implements the standard functions, one file each. Functions with large
// dependencies are in subpackages. Standard lists all of them.
//
// A function takes a JSON object and returns a JSON value. It has access to its Call (the
// keys, the chat, the sink) and its Options, and not to stores, sessions or workflows, so a
// test of a function is a call.
//
// Inputs are decoded leniently and keep their order: unknown fields are accepted, and a field
// accepts a value in every form in which references supply it. A mistake of the workflow's
// author is an error of kind bad_input that names the field.
package functions
