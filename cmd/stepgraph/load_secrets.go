package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/stepgraph/stepgraph/api"
	"github.com/stepgraph/stepgraph/cmd/stepgraph/internal/client"
	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/engine/function"
)

// A movedSecret is a credential of a file that becomes a secret.
type movedSecret struct {
	name, value string
	hosts       []string
	places      []string // STEP.FIELD
}

// movedSecrets are the moved secrets by workflow.
type movedSecrets map[string][]*movedSecret

// moveSecrets takes the credentials out of workflows and leaves names of secrets in their place,
// also in the node that a step keeps of its file. A secret goes to the host of the step's address
// alone; one without a fixed address is an error, since it could go nowhere.
func (cmd *loadCommands) moveSecrets(to *engineFlags, workflows []*engine.Workflow) (movedSecrets, error) {
	set, err := cmd.settings(&to.settingFlags)
	if err != nil {
		return nil, err
	}
	registry, _, err := cmd.host.registryForChecks(set)
	if err != nil {
		return nil, err
	}
	moved := movedSecrets{}
	var faults []error
	for _, w := range workflows {
		m := secretMover{workflow: w}
		for i := range w.Steps {
			m.step(&w.Steps[i], registry)
		}
		m.replaceInConfig()
		moved[w.ID], faults = m.moved, append(faults, m.faults...)
	}
	return moved, errors.Join(faults...)
}

type secretMover struct {
	workflow *engine.Workflow
	moved    []*movedSecret
	faults   []error
}

func (m *secretMover) step(s *engine.Step, registry *engine.Registry) {
	spec := registry.Find(s.Function)
	if spec == nil || strings.TrimSpace(s.Input) == "" {
		return
	}
	s.Input = string(function.ReplaceCredentials(spec, json.RawMessage(s.Input), func(c function.Credential) string {
		host := hostOfInput(s.Input)
		if host == "" {
			m.faults = append(m.faults, fmt.Errorf("workflow %s: step %q: input.%s cannot become a secret, because the step has no fixed address; "+
				"set it with `stepgraph secret set NAME --host HOST` and write $NAME in its place", m.workflow.ID, s.ID, c.Path))
			return c.Value
		}
		return "$" + m.secret(s.ID, c, host).name
	}))
}

// secret is the secret of a credential; one that is used in several places is one.
func (m *secretMover) secret(step string, c function.Credential, host string) *movedSecret {
	at := slices.IndexFunc(m.moved, func(s *movedSecret) bool { return s.value == c.Value })
	if at < 0 {
		at = len(m.moved)
		m.moved = append(m.moved, &movedSecret{name: m.freshName(m.workflow.ID + "_" + step + "_" + c.Path), value: c.Value})
	}
	s := m.moved[at]
	s.places = append(s.places, step+"."+c.Path)
	if !slices.Contains(s.hosts, host) {
		s.hosts = append(s.hosts, host)
	}
	return s
}

var notInName = regexp.MustCompile(`[^A-Z0-9]+`)

// secretNameLength keeps names readable; a vault takes longer ones.
const secretNameLength = 60

func (m *secretMover) freshName(text string) string {
	base := strings.Trim(notInName.ReplaceAllString(strings.ToUpper(text), "_"), "_")
	if base == "" || base[0] >= '0' && base[0] <= '9' {
		base = "T_" + base
	}
	base = base[:min(len(base), secretNameLength)]
	name := base
	for n := 2; slices.ContainsFunc(m.moved, func(s *movedSecret) bool { return s.name == name }); n++ {
		name = fmt.Sprintf("%s_%d", base, n)
	}
	return name
}

// replaceInConfig puts the names into the nodes that steps keep of their file.
func (m *secretMover) replaceInConfig() {
	for i := range m.workflow.Steps {
		s := &m.workflow.Steps[i]
		for _, secret := range m.moved {
			quoted, _ := json.Marshal(secret.value)
			inner := string(quoted[1 : len(quoted)-1])
			s.Config = strings.ReplaceAll(s.Config, `"`+inner+`"`, `"$`+secret.name+`"`)
			if len(inner) >= 6 { // inside a header, or a text that holds JSON
				s.Config = strings.ReplaceAll(s.Config, inner, "$"+secret.name)
			}
		}
	}
}

// hostOfInput is the host of a step's address as secrets name hosts, "" where it is not fixed.
func hostOfInput(input string) string {
	var in struct {
		URL      any `json:"url"`
		Endpoint any `json:"endpoint"`
		BaseURL  any `json:"base_url"`
	}
	_ = json.Unmarshal([]byte(input), &in) // an input that is not an object has no address
	for _, v := range []any{in.URL, in.Endpoint, in.BaseURL} {
		text, _ := v.(string)
		at, err := url.Parse(text)
		if err != nil || at.Host == "" || strings.ContainsAny(at.Host, "@{}$") {
			continue
		}
		if at.Scheme == "http" {
			return "http://" + at.Host
		}
		return at.Host
	}
	return ""
}

// storeSecrets stores secrets before the workflow that names them.
func (cmd *loadCommands) storeSecrets(ctx context.Context, s *client.Client, list []*movedSecret) error {
	for _, one := range list {
		body := api.SecretBody{Value: one.value}
		body.Hosts, body.Description = one.hosts, "from "+strings.Join(one.places, ", ")
		if _, err := s.PutSetting(ctx, secretSettings.kind, one.name, body); err != nil {
			return fmt.Errorf("secret %s: %w", one.name, err)
		}
		cmd.printErr("secret %s holds %s; it goes to %s", one.name, strings.Join(one.places, ", "), strings.Join(one.hosts, ", "))
	}
	return nil
}
