// Package agentzero compiles the flows of Agent Zero's orchestrator to workflows, and writes
// such workflows back as flows.
//
// Two notations are accepted: that of the design document (types input, agent, parallelGroup,
// condition and output, children of a group by parentId) and that of the public implementation
// (inputNode and so on, edges from a group to its agents, restricted by branches). Both
// compile to the same graph: agents become agent steps, groups containers, conditions
// condition steps. A node with several incoming edges gets a join step before it, which
// concatenates the outputs of the nodes that ran, in the order of the file.
//
// Invariant: a step's id is its node's id, and its output has the field text, the result that
// Agent Zero shows for the node. The first node that fails outside a group ends the session.
package agentzero
