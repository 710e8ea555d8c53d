// Package diagram draws workflows for people: as Mermaid flowcharts, which Markdown pages
// show, and as DOT, which Graphviz lays out. A drawing is made in two parts: a plan of boxes,
// frames and lines that says what is shown, and a writer that knows how a language says it.
// Neither looks at anything but the workflow, so that one workflow always gives one text.
// The invariant: no text of a workflow can end a label or begin a statement.
package diagram
