// Package agentzero compiles the flows of Agent Zero's orchestrator to workflows, and
// workflows that still fit back to flows.
//
// Both spellings are read: that of the design (types input, agent, parallelGroup, condition
// and output, children of a group by parentId) and that of the public implementation
// (inputNode and so on, edges from a group to its agents, narrowed by branches). Both become
// the same graph: agents are agent steps, groups are containers, conditions are condition
// steps, and a node with several edges into it has a join in front of it that puts the
// outputs of those that ran together, in the order of the file.
//
// The invariant: a step's id is its node's id and its output has text, what Agent Zero shows
// as the node's result; the first node that fails outside a group ends the session.
package agentzero
