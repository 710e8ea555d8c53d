// Package agent implements the function agent: a model that may call tools before it answers.
//
// Each call of the function is one round of the model. The engine keeps the transcript of the
// rounds. The tools that the model requests are steps of the workflow; the engine runs each as
// a visit and then calls the function again. If an engine dies, only the model call in
// progress is repeated.
package agent
