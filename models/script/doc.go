// Package script plays recorded replies in place of a model, so that demos,
// tests and imported flows run without a key and without a network.
//
// The file is JSON, every part of it optional:
//
//	{
//	  "steps":     {"greet": ["Hello!", {"name": "Ada", "age": 36}]},
//	  "match":     [{"pattern": "(?i)refund", "reply": "Let me look that up."}],
//	  "any":       ["Tell me more."],
//	  "fitting":   true,
//	  "otherwise": "echo"
//	}
//
// A call takes the next unused reply of its step, else the first match whose
// pattern (RE2 syntax) fits the last user message and which is never used up,
// else the next of any, else, with "otherwise": "echo", the text "echo: " and
// the last user message. Else it fails and says that the script has run out.
// With "fitting": true a match is passed over where its reply is none to the call: an object
// where no schema is given, or one that the schema does not admit; a call with a schema that no
// reply fits gets a value made of the schema. So a script for one workflow serves others too.
// A match that calls tools is passed over by the call that brings their results, so
// that two matches of one pattern, the first with tool_calls, play an agent. A match with a
// `result`, a pattern too, fits only a call that brings a tool's result which it fits; one with
// `said` fits only where the model has said such a line before in the conversation of the call.
//
// A reply is one of
//
//	"text"
//	{"name": "Ada"}                                             structured output
//	{"tool_calls": [{"name": "lookup", "arguments": {"id": 7}}]} with "text" beside it if wanted
//	{"error": "overloaded", "transient": true}
//	{"reply": <one of the above>, "delay_ms": 250}
//
// An object is read as one of the last three forms if it has their keys and no
// others. A structured output that happens to look like one is written as its
// JSON text: a call that gave a schema gets the object of it all the same.
//
// The one invariant: a reply is used up once. Which replies are used is a matter
// of the process, a new one starts anew. Within the process a call that comes
// again with the same key gets the reply it got before, so an attempt repeated
// after a crash of a worker does not eat the reply of the next turn. A scripted
// error is the exception, as the retry after it has the same key and wants the
// reply that follows.
package script
