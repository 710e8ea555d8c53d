// Package markdown converts the HTML that rich text editors store to Markdown. Line breaks,
// bullets and markers are those of the JavaScript library turndown with its default options
// and without escaping, so that the prompts of a flow reach its models unchanged.
package markdown
