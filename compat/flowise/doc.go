// Package flowise compiles AgentFlow V2 documents of Flowise, as exported by its canvas or
// stored by its API, to workflows. The behaviour follows Flowise 3.1.4;
// docs/formats/flowise.md has the mapping of nodes and the differences.
package flowise
