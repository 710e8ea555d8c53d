// Package flowise compiles AgentFlow V2 documents of Flowise, as its canvas exports them and
// its API stores them, to workflows. Facts about them are those of release 3.1.4;
// docs/formats/flowise.md tells what maps to what and what differs.
package flowise
