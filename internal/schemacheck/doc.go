// Package schemacheck validates JSON values against JSON Schemas. People, models and imported
// files supply both, so neither is trusted.
//
// It wraps github.com/santhosh-tekuri/jsonschema/v6 for three reasons. A schema must not cause
// file reads or network requests, so references may lead only into the schema itself. A schema
// must not cause hours of computation, which a few hundred bytes of nested anyOf can, so the
// work of one validation is counted and bounded. And the errors are returned as a list of
// positions and sentences, which are shown to people and to models.
//
// Invariant: Compile and Check terminate for every input.
package schemacheck
