// Package script is a model that returns recorded replies, so that demos, tests and imported
// flows run without a key and without a network.
//
// The file is JSON; every part is optional:
//
//	{
//	  "steps":     {"greet": ["Hello!", {"name": "Ada", "age": 36}]},
//	  "match":     [{"pattern": "(?i)refund", "reply": "Let me look that up."}],
//	  "any":       ["Tell me more."],
//	  "fitting":   true,
//	  "otherwise": "echo"
//	}
//
// A call gets the first reply that exists, in this order: the next unused reply of its step;
// the first match whose pattern (RE2 syntax) matches the last user message (matches can be
// used any number of times); the next reply of any; with "otherwise": "echo", the text "echo:
// " and the last user message. Otherwise the call fails and says that the script has no reply
// left.
//
// With "fitting": true a match is skipped if its reply does not fit the call: an object where
// no schema is given, or one that the schema does not allow. A call with a schema for which no
// reply fits gets a value generated from the schema, so that a script for one workflow can
// also be used for others. A match that calls tools is skipped by the call that brings their
// results, so two matches of one pattern, the first with tool_calls, play an agent. A match
// with `result`, also a pattern, applies only to a call with a matching tool result. A match
// with `said` applies only if the model has said a matching line earlier in the conversation
// of the call.
//
// A reply is one of
//
//	"text"
//	{"name": "Ada"}                                             structured output
//	{"tool_calls": [{"name": "lookup", "arguments": {"id": 7}}]} optionally with "text"
//	{"error": "overloaded", "transient": true}
//	{"reply": <one of the above>, "delay_ms": 250}
//
// An object is read as one of the last three forms if it has exactly their keys. A structured
// output with the same keys as one of them is written as its JSON text: a call with a schema
// still gets the object.
//
// Invariant: a reply is used once. The used replies are kept in memory, so a new process
// starts from the beginning. Within a process, a repeated call with the same key gets the same
// reply, so an attempt that is repeated after a crash of an engine does not use the reply of
// the next turn. Scripted errors are an exception: the retry has the same key and gets the
// following reply.
package script
