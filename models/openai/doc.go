// Package openai speaks to OpenAI's chat completions and to the many servers
// that are compatible with them (vLLM, Ollama, llama.cpp, routers of models).
//
// Compatible is a matter of degree. A Client begins with what OpenAI itself
// wants and steps back when a server answers 400 and names the parameter that it
// does not know: from a JSON Schema to plain JSON mode with the schema in words,
// from max_completion_tokens to max_tokens and back, from streamed usage to
// none. It remembers that for each model, so that only the first call pays.
//
// A Client does not retry and does not read the environment: the engine retries,
// with the same key, and configuration comes through Options alone.
package openai
