// Package openai is a client of OpenAI's chat completions and of compatible servers (vLLM,
// Ollama, llama.cpp, model routers).
//
// Servers differ in what they support. A Client first sends the request as OpenAI expects it.
// If a server answers 400 and names an unknown parameter, the Client falls back: from a JSON
// Schema to plain JSON mode with the schema in the instructions, from max_completion_tokens to
// max_tokens and back, from streamed usage to none. It remembers the fallback for each model,
// so only the first call is repeated.
//
// A Client does not retry and does not read the environment: the engine retries with the same
// key, and settings come from Options.
package openai
