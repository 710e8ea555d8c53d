// Package models is the interface between steps and providers of chat completions.
//
// A step function that needs a model gets one by name from a [Catalog] and calls
// [Model.Generate]. The operator's configuration, held by the catalog, determines which
// provider answers. The name in a workflow cannot enable a provider that is not configured, so
// an API key in the environment alone causes no costs.
//
// The providers are in separate packages, so that a program that embeds the engine links only
// what it uses:
//
//   - models/script returns replies from a file and uses no network;
//   - models/openai is a client of OpenAI and of compatible servers;
//   - models/anthropic is a client of Anthropic.
//
// A [Recorder] around any of them writes the file that models/script reads.
//
// This package does not retry. [Error.Transient] reports whether a failed call may succeed on
// retry and [Error.RetryAfter] when. The engine decides and sends the same [Request.Key]
// again, so that a provider or proxy that supports idempotency keys does the work once.
//
// Invariant: for every behaviour of a provider, a server or a recorded file, Generate returns
// either a usable Response or an error that names the cause and does not contain a key.
package models
