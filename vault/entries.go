package vault

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"
)

// Where an entry comes from.
const (
	SourceStored        = "stored"
	SourceConfiguration = "configuration" // of the configuration file: read only
)

// What callers decide on.
var (
	ErrProfileNotFound  = errors.New("profile not found")
	ErrVariableNotFound = errors.New("variable not found")
	ErrSecretNotFound   = errors.New("secret not found")
	ErrFixed            = errors.New("set by the configuration file")
	ErrInvalid          = errors.New("cannot be kept")
)

// An Origin says where an entry comes from; the vault sets it.
type Origin struct {
	Name      string    `json:"name" doc:"what steps call it"`
	Source    string    `json:"source" enum:"stored,configuration" doc:"configuration: of the configuration file, which alone can change it"`
	UpdatedAt time.Time `json:"updated_at,omitzero" doc:"when it was set, where it is stored"`
}

// A Profile is named settings of model calls. Whatever a step gives itself counts before it.
type Profile struct {
	Description     string          `json:"description,omitempty"`
	Model           string          `json:"model,omitempty" doc:"a model, or provider/model"`
	System          string          `json:"system,omitempty" doc:"how the model should answer"`
	Temperature     *float64        `json:"temperature,omitempty"`
	TopP            *float64        `json:"top_p,omitempty"`
	MaxTokens       int             `json:"max_tokens,omitempty" minimum:"0"`
	ReasoningEffort string          `json:"reasoning_effort,omitempty"`
	Tools           []string        `json:"tools,omitempty" doc:"names of the tools an agent may use; all it has when empty"`
	Schema          json.RawMessage `json:"schema,omitempty" doc:"JSON Schema of the answer"`
	SchemaName      string          `json:"schema_name,omitempty"`
	Parameters      json.RawMessage `json:"parameters,omitempty" doc:"an object of further parameters of the provider"`
}

// A Variable is a named value that workflows read.
type Variable struct {
	Value       json.RawMessage `json:"value" doc:"any JSON"`
	Description string          `json:"description,omitempty"`
}

// A Secret is what may be known of a secret: everything but its value.
type Secret struct {
	Hosts       []string `json:"hosts,omitempty" doc:"the hosts that requests may take it to: [http://]HOST[:PORT], *.example.com for all below, * for every address; https and its port unless written"`
	Description string   `json:"description,omitempty"`
}

// Limits, in bytes.
const (
	maxValue = 64 << 10 // of a secret or variable
	maxEntry = 256 << 10
)

var (
	plainName  = regexp.MustCompile(`^[\p{L}\p{N}_][\p{L}\p{N}_. -]{0,99}$`)
	secretName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]{0,99}$`)
	lookedUp   = regexp.MustCompile(`^[\p{L}\p{N}_-]{1,100}$`)
)

func checkName(kind, name string, form *regexp.Regexp) error {
	if form.MatchString(name) {
		return nil
	}
	return fmt.Errorf("%s %q: %w: a name has letters, digits and _, at most 100", kind, name, ErrInvalid)
}

func (p Profile) check(name string) error {
	if err := checkName("profile", name, plainName); err != nil {
		return err
	}
	for field, text := range map[string]json.RawMessage{"schema": p.Schema, "parameters": p.Parameters} {
		if len(text) > 0 && !strings.HasPrefix(strings.TrimSpace(string(text)), "{") {
			return fmt.Errorf("profile %s: %w: %s: want an object", name, ErrInvalid, field)
		}
	}
	if text, err := json.Marshal(p); err != nil || len(text) > maxEntry {
		return fmt.Errorf("profile %s: %w: it has more than %d bytes", name, ErrInvalid, maxEntry)
	}
	return nil
}

func (v Variable) check(name string) error {
	if err := checkName("variable", name, lookedUp); err != nil {
		return err
	}
	if len(v.Value) == 0 || !json.Valid(v.Value) {
		return fmt.Errorf("variable %s: %w: value: want JSON", name, ErrInvalid)
	}
	if len(v.Value) > maxValue {
		return fmt.Errorf("variable %s: %w: it has more than %d bytes", name, ErrInvalid, maxValue)
	}
	return nil
}

func (s Secret) check(name, value string) error {
	if err := checkName("secret", name, secretName); err != nil {
		return err
	}
	if value == "" || len(value) > maxValue {
		return fmt.Errorf("secret %s: %w: its value has 1 to %d bytes", name, ErrInvalid, maxValue)
	}
	if err := s.CheckHosts(); err != nil {
		return fmt.Errorf("secret %s: %w: %w", name, ErrInvalid, err)
	}
	return nil
}

// CheckHosts returns an error if the hosts of a secret are invalid. At least one is required.
func (s Secret) CheckHosts() error {
	if len(s.Hosts) == 0 {
		return errors.New(`hosts is missing: name the hosts that requests may take it to, such as api.example.com, or "*" for every address`)
	}
	for _, h := range s.Hosts {
		if err := CheckHost(h); err != nil {
			return err
		}
	}
	return nil
}

// serves reports whether a request may take the secret to an address.
func (s Secret) serves(to *url.URL) bool {
	return slices.ContainsFunc(s.Hosts, func(pattern string) bool { return HostServes(pattern, to) })
}
