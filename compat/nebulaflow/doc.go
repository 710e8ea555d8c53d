// Package nebulaflow compiles workflow and subflow files of NebulaFlow to steps and paths.
// Its data edges become references, its regions between loop-start and loop-end become
// containers, its subflows child sessions; the engine knows nothing of the format.
package nebulaflow

// Format is the value of source_format of a compiled workflow.
const Format = "nebulaflow"
