// Package agent holds the function agent: a model that may call tools before it answers.
//
// Each call of the function is one round of the model. What the model said stands in the
// transcript that the engine keeps; the tools it asked for are steps of the workflow, which
// the engine runs as visits of their own before it calls the function again. So a worker
// that dies loses at most the one call that was under way.
package agent
