// Package anthropic speaks to Anthropic's messages API.
//
// It puts models.Request into the words of that API: system messages go to the
// top, results of tools become parts of a user message, messages of one role in
// a row become one. Structured output is asked for with a schema, and in words
// of models whose server refuses that. A seed has no counterpart and is left
// out.
//
// Every call is streamed, with or without somebody to listen: the API wants that
// for long answers, and one way of reading answers is enough. Retries and the
// environment are left to the engine and to configuration, as in models/openai.
package anthropic
