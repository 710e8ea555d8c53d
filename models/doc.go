// Package models is the seam between steps and providers of chat completions.
//
// A step function that needs a model asks a [Catalog] for one by name and calls
// [Model.Generate]. Which provider answers is configuration: the catalog holds
// the operator's choice, and the name that stands in a workflow is a hint that
// never brings in a provider nobody chose. A key in the environment alone
// therefore spends no money.
//
// The providers live in packages of their own, so that a program that embeds
// the engine links only what it uses:
//
//   - models/script plays replies from a file and never touches the network;
//   - models/openai speaks to OpenAI and to everything compatible with it;
//   - models/anthropic speaks to Anthropic.
//
// A [Recorder] around any of them writes the file that models/script plays.
//
// Nothing here retries. A call that failed says by [Error.Transient] whether
// trying again can help and by [Error.RetryAfter] when; the engine decides, and
// sends the same [Request.Key] again, so that a provider or a proxy that knows
// idempotency keys does the work once.
//
// The invariant of the package: whatever a provider, a server or a recorded file
// does, Generate returns either a usable Response or an error that names what
// went wrong and never contains a key.
package models
