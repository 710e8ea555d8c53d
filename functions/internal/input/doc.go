// Package input decodes the inputs of step functions: JSON objects that keep the order of
// their fields, and fields that accept a value in each form in which references supply it. A
// typed answer is text, so "7" and "true" are accepted for a number or a truth value; the
// output of a model is an object, so it is accepted for a text.
package input
