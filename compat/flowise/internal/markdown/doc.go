// Package markdown turns the HTML that editors of rich text store into Markdown, with the
// line breaks, bullets and markers of the turndown library for JavaScript (its defaults,
// nothing escaped): what a flow's prompts looked like to its models must not change.
package markdown
