// Package nebulaflow compiles workflow and subflow files of NebulaFlow to steps and paths.
// Data edges become references, the region between loop-start and loop-end becomes a
// container, and a subflow becomes a child session. The engine has no code for this format.
package nebulaflow

// Format is the value of source_format of a compiled workflow.
const Format = "nebulaflow"
