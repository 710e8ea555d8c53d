package api

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"slices"

	"github.com/stepgraph/stepgraph/compat/agentzero/agentzeroapi"
	"github.com/stepgraph/stepgraph/vault"
)

// A Profile is named settings of model calls.
type Profile struct {
	vault.Origin
	vault.Profile
}

// A Variable is a named value that workflows read.
type Variable struct {
	vault.Origin
	vault.Variable
}

// A Secret is the public part of a secret, without its value.
type Secret struct {
	vault.Origin
	vault.Secret
}

// AtProfile is the address of a profile.
type AtProfile struct {
	Profile string `path:"profile" doc:"its name"`
}

// AtVariable is the address of a variable.
type AtVariable struct {
	Variable string `path:"variable" doc:"its name"`
}

// AtSecret is the address of a secret.
type AtSecret struct {
	Secret string `path:"secret" doc:"its name"`
}

func (a AtProfile) named() string  { return a.Profile }
func (a AtVariable) named() string { return a.Variable }
func (a AtSecret) named() string   { return a.Secret }

type putProfileIn struct {
	AtProfile
	Body vault.Profile
}

type putVariableIn struct {
	AtVariable
	Body vault.Variable
}

// SecretBody sets a secret.
type SecretBody struct {
	Value string `json:"value" writeOnly:"true" minLength:"1" doc:"never given back by any route"`
	vault.Secret
}

type putSecretIn struct {
	AtSecret
	Body SecretBody
}

// A settingKind is profiles, variables or secrets: E as the vault keeps an entry, S as it is shown,
// At and Put what addresses and sets one.
type settingKind[E, S any, At, Put interface{ named() string }] struct {
	name, title string // profile, Profile
	list        func() ([]vault.Named[E], error)
	get         func(name string) (vault.Named[E], error)
	put         func(in *Put) (E, error) // returns what the audit trail shows
	remove      func(name string) error
	show        func(vault.Named[E]) S
}

// add registers the four operations of a kind with the given summaries and descriptions.
func (k settingKind[E, S, At, Put]) add(t *routeTable, list, get, put, remove operation) {
	path := "/api/v1/" + k.name + "s"
	one, missing := path+"/{"+k.name+"}", k.name+"_not_found"
	describe := func(o operation, id, method, path string, problems ...string) operation {
		o.id, o.method, o.path, o.tag, o.problems = id, method, path, tagSettings, problems
		return o
	}
	register(t, describe(list, "list"+k.title+"s", http.MethodGet, path), func(context.Context, *empty) (*pageOut[S], error) {
		all, err := k.list() // an operator sets tens of them, not thousands
		if err != nil {
			return nil, err
		}
		items := make([]S, len(all))
		for i, n := range all {
			items[i] = k.show(n)
		}
		return pageOf(items, ""), nil
	})
	register(t, describe(get, "get"+k.title, http.MethodGet, one, missing), func(_ context.Context, in *At) (*struct{ Body S }, error) {
		return k.read((*in).named())
	})
	register(t, describe(put, "put"+k.title, http.MethodPut, one, "fixed_by_configuration"), func(ctx context.Context, in *Put) (*struct{ Body S }, error) {
		name := (*in).named()
		before, _ := k.get(name)
		after, err := k.put(in)
		noteSetting(ctx, "put"+k.title, name, before.Entry, after)
		if err != nil {
			return nil, err
		}
		t.log.InfoContext(ctx, k.name+" set", k.name, name)
		return k.read(name)
	})
	register(t, describe(remove, "delete"+k.title, http.MethodDelete, one, missing, "fixed_by_configuration"), func(ctx context.Context, in *At) (*empty, error) {
		name := (*in).named()
		before, _ := k.get(name)
		noteSetting(ctx, "delete"+k.title, name, before.Entry, nil)
		err := k.remove(name)
		if err == nil {
			t.log.InfoContext(ctx, k.name+" removed", k.name, name)
		}
		return nil, err
	})
}

func (k settingKind[E, S, At, Put]) read(name string) (*struct{ Body S }, error) {
	n, err := k.get(name)
	if err != nil {
		return nil, err
	}
	return &struct{ Body S }{k.show(n)}, nil
}

// registerSettings adds the operations on profiles, variables and secrets.
func registerSettings(t *routeTable, v Vault) {
	settingKind[vault.Profile, Profile, AtProfile, putProfileIn]{name: "profile", title: "Profile", list: v.Profiles, get: v.Profile, remove: v.DeleteProfile,
		put:  func(in *putProfileIn) (vault.Profile, error) { return in.Body, v.PutProfile(in.Profile, in.Body) },
		show: func(n vault.Named[vault.Profile]) Profile { return Profile{n.Origin, n.Entry} },
	}.add(t, operation{summary: "List profiles by name"}, operation{summary: "Read a profile"},
		operation{summary: "Set a profile", about: "Model calls use it from the next one on."},
		operation{summary: "Remove a profile", about: "Steps that name it fail from then on."})

	settingKind[vault.Variable, Variable, AtVariable, putVariableIn]{name: "variable", title: "Variable", list: v.Variables, get: v.Variable, remove: v.DeleteVariable,
		put:  func(in *putVariableIn) (vault.Variable, error) { return in.Body, v.PutVariable(in.Variable, in.Body) },
		show: func(n vault.Named[vault.Variable]) Variable { return Variable{n.Origin, n.Entry} },
	}.add(t, operation{summary: "List variables by name, with their values"}, operation{summary: "Read a variable"},
		operation{summary: "Set a variable", about: "Histories and logs may contain it: use a secret for confidential values."},
		operation{summary: "Remove a variable"})

	settingKind[vault.Secret, Secret, AtSecret, putSecretIn]{name: "secret", title: "Secret", list: v.Secrets, get: v.Secret, remove: v.DeleteSecret,
		put: func(in *putSecretIn) (vault.Secret, error) {
			return in.Body.Secret, v.PutSecret(in.Secret, in.Body.Value, in.Body.Secret)
		},
		show: func(n vault.Named[vault.Secret]) Secret { return Secret{n.Origin, n.Entry} },
	}.add(t, operation{summary: "List secrets by name, without their values"}, operation{summary: "Read a secret's properties, without its value"},
		operation{summary: "Set a secret", about: "Steps refer to it as `{\"secret\": \"NAME\"}` or `$NAME` in requests. It is sent only to its hosts, and never stored in a state, history or log."},
		operation{summary: "Remove a secret"})
}

// offeredModels names the models workflows are meant to choose from: the one that answers
// where nothing is said, then those that profiles use.
func offeredModels(standard string, v Vault) func() ([]string, error) {
	return func() ([]string, error) {
		all, err := v.Profiles()
		if err != nil {
			return nil, err
		}
		var names []string
		for _, p := range all {
			if model := p.Entry.Model; model != "" && model != standard && !slices.Contains(names, model) {
				names = append(names, model)
			}
		}
		slices.Sort(names)
		if standard != "" {
			names = append([]string{standard}, names...)
		}
		return names, nil
	}
}

// agentProfiles lists the profiles for Agent Zero's editor.
func agentProfiles(v Vault) func() ([]agentzeroapi.Profile, error) {
	return func() ([]agentzeroapi.Profile, error) {
		all, err := v.Profiles()
		if err != nil {
			return nil, err
		}
		list := make([]agentzeroapi.Profile, len(all))
		for i, p := range all {
			list[i] = agentzeroapi.Profile{Key: p.Name, Label: cmp.Or(p.Entry.Description, p.Name)}
		}
		return list, nil
	}
}

// variableValues gives the values of all variables by name.
func variableValues(v Vault) func() (map[string]json.RawMessage, error) {
	return func() (map[string]json.RawMessage, error) {
		list, err := v.Variables()
		if err != nil {
			return nil, err
		}
		out := make(map[string]json.RawMessage, len(list))
		for _, one := range list {
			out[one.Name] = one.Entry.Value
		}
		return out, nil
	}
}
