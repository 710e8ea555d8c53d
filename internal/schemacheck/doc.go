// Package schemacheck checks JSON values against JSON Schemas that people, models and
// imported files have written, so neither of the two is trusted.
//
// It wraps github.com/santhosh-tekuri/jsonschema/v6 for three reasons. A schema must not
// make us read files or call servers, so references lead only into the schema itself. A
// schema must not make us compute for hours, which a few hundred bytes of nested anyOf can
// do, so the work of one check is counted and bounded. And what is wrong is wanted as a
// list of places and sentences, which are shown to people and to models.
//
// The invariant: Compile and Check return, whatever they are given.
package schemacheck
