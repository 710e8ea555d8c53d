// Package functions holds the functions that steps call, one file each; those with heavy
// dependencies stand in packages of their own below. Standard is the list of them all.
//
// A function is a JSON object in and a JSON value out. It knows its Call (the keys, the
// chat, the watchers) and its Options, and nothing of stores, sessions or workflows, so
// its test is a call.
//
// Inputs are read leniently and kept in order: unknown fields are never refused, and a
// field takes its value in the form references give it. What a workflow author got wrong is
// an error of kind bad_input that names the field.
package functions
