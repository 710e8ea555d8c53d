// Package anthropic is a client of Anthropic's messages API.
//
// It converts models.Request to that API: system messages go to the top, results of tools
// become parts of a user message, and consecutive messages of one role are merged. Structured
// output is requested by a schema, or by instructions for models whose server refuses a
// schema. A seed has no equivalent and is omitted.
//
// Every call is streamed, even without a listener: the API requires it for long answers, and
// so there is only one way to read answers. The engine does retries and the configuration
// supplies the settings, as in models/openai.
package anthropic
