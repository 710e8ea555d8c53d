package flowise

import (
	"fmt"
	"strings"

	"github.com/stepgraph/stepgraph/compat/internal/inputs"
)

// modelSettings are those of a chat model component that a model call here has: which model,
// where, and how it writes.
func (m *modelNodes) modelSettings(n *node, component string, config settings) inputs.Object {
	out := inputs.Of()
	name := config.text("modelName")
	if custom := config.text("customModelName"); custom != "" {
		name = custom
	}
	if name == "" {
		name = config.text("deploymentName")
	}
	if name != "" {
		out = out.With("model", inputs.Literal(name))
	}
	base := ""
	for _, field := range []string{"basepath", "basePath", "baseUrl", "baseURL", "overrideEndpoint", "endpoint"} {
		if base == "" {
			base = config.text(field)
		}
	}
	if base != "" {
		out = out.With("base_url", inputs.Literal(base))
	}
	for _, f := range []struct{ theirs, ours string }{{"temperature", "temperature"}, {"topP", "top_p"}, {"maxTokens", "max_tokens"},
		{"maxOutputTokens", "max_tokens"}, {"maxTokensToSample", "max_tokens"}, {"randomSeed", "seed"}, {"seed", "seed"}} {
		if value, ok := config.number(f.theirs); ok {
			out = out.Set(f.ours, value)
		}
	}
	if stop := config.text("stopSequence"); stop != "" {
		list := []any{}
		for _, one := range strings.Split(stop, ",") {
			list = append(list, inputs.Literal(strings.TrimSpace(one)))
		}
		out = out.With("stop", list)
	}
	if effort := config.text("reasoningEffort"); effort != "" {
		out = out.With("reasoning_effort", effort)
	}
	if config.text("streaming") == "false" {
		out = out.With("stream", false)
	}
	extra := inputs.Of()
	for _, f := range []struct{ theirs, ours string }{{"frequencyPenalty", "frequency_penalty"}, {"presencePenalty", "presence_penalty"}} {
		if value, ok := config.number(f.theirs); ok {
			extra = extra.With(f.ours, value)
		}
	}
	if len(extra) > 0 {
		out = out.With("parameters", extra)
	}
	m.credentials(n, component, config, name, base)
	return out
}

// credentials: keys are never part of a document; where a flow names one, or a vendor's model,
// the operator's choice of provider answers.
func (m *modelNodes) credentials(n *node, component string, config settings, name, base string) {
	switch id := config.text("credential"); {
	case id != "" && base != "":
		m.note(n, "credential", "its %s uses the credential %q of Flowise: set a secret and name it as api_key: \"$NAME\" in the input", component, id)
	case base == "" && component != "":
		m.note(nil, "model_choice", "%s", modelChoice(component, name))
	}
}

// vendorOf are the providers of the models of components, as the configuration names them.
var vendorOf = map[string]string{"chatGoogleGenerativeAI": "gemini", "chatGoogleVertexAI": "gemini", "groqChat": "groq", "chatMistralAI": "mistral",
	"chatDeepseek": "deepseek", "chatOllama": "ollama", "chatOpenRouter": "openrouter", "chatAnthropic": "anthropic", "chatOpenAI": "openai"}

// modelChoice says whose model a flow asks for and what to set so that this vendor answers.
func modelChoice(component, model string) string {
	vendor := vendorOf[component]
	if vendor == "" || model == "" {
		return fmt.Sprintf("the flow asks %s for the model %q: the default provider of this engine answers (--model), unless models.aliases in the configuration maps that name to PROVIDER/MODEL", component, model)
	}
	key := ""
	if vendor != "ollama" {
		key = ", with its key in " + strings.ToUpper(vendor) + "_API_KEY"
	}
	return fmt.Sprintf("the flow asks %s for the model %q: the default provider of this engine answers (--model), unless the configuration says "+
		`{"models": {"aliases": {%q: %q}}}%s`, component, model, model, vendor+"/"+model, key)
}
