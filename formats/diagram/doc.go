// Package diagram draws workflows as Mermaid flowcharts, which Markdown pages render, and as
// DOT for Graphviz. A drawing is made in two steps: a plan of boxes, frames and lines, and a
// writer for each language. The result depends only on the workflow, so one workflow always
// gives the same text. Invariant: no text of a workflow can end a label or begin a statement.
package diagram
