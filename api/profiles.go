package api

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"slices"

	"github.com/stepgraph/stepgraph/compat/agentzero/agentzeroapi"
	"github.com/stepgraph/stepgraph/vault"
)

// Vault is the store of profiles, variables and secrets that the API uses; *vault.Vault
// implements it.
type Vault interface {
	Profiles() ([]vault.Named[vault.Profile], error)
	Profile(name string) (vault.Named[vault.Profile], error)
	PutProfile(name string, p vault.Profile) error
	DeleteProfile(name string) error
	Variables() ([]vault.Named[vault.Variable], error)
	Variable(name string) (vault.Named[vault.Variable], error)
	PutVariable(name string, v vault.Variable) error
	DeleteVariable(name string) error
	Secrets() ([]vault.Named[vault.Secret], error)
	Secret(name string) (vault.Named[vault.Secret], error)
	PutSecret(name, value string, s vault.Secret) error
	DeleteSecret(name string) error
}

// A Profile is named settings of model calls.
type Profile struct {
	vault.Origin
	vault.Profile
}

func profileOf(n vault.Named[vault.Profile]) Profile { return Profile{n.Origin, n.Entry} }

// AtProfile is embedded by what is addressed by a profile.
type AtProfile struct {
	Profile string `path:"profile" doc:"its name"`
}

type putProfileIn struct {
	AtProfile
	Body vault.Profile
}

func (r *settingRoutes) registerProfiles() {
	register(r.routeTable, operation{id: "listProfiles", method: http.MethodGet, path: "/api/v1/profiles", tag: tagSettings,
		summary: "List profiles by name"}, r.listProfiles)
	register(r.routeTable, operation{id: "getProfile", method: http.MethodGet, path: "/api/v1/profiles/{profile}", tag: tagSettings,
		summary: "Read a profile", problems: []string{"profile_not_found"}}, r.getProfile)
	register(r.routeTable, operation{id: "putProfile", method: http.MethodPut, path: "/api/v1/profiles/{profile}", tag: tagSettings,
		summary: "Set a profile", about: "Model calls use it from the next one on.", problems: []string{"fixed_by_configuration"}}, r.putProfile)
	register(r.routeTable, operation{id: "deleteProfile", method: http.MethodDelete, path: "/api/v1/profiles/{profile}", tag: tagSettings,
		summary: "Remove a profile", about: "Steps that name it fail from then on.", problems: []string{"profile_not_found", "fixed_by_configuration"}}, r.deleteProfile)
}

func (r *settingRoutes) listProfiles(context.Context, *empty) (*pageOut[Profile], error) {
	return listed(r.vault.Profiles, profileOf)
}

func (r *settingRoutes) getProfile(_ context.Context, in *AtProfile) (*struct{ Body Profile }, error) {
	return entry(r.vault.Profile, in.Profile, profileOf)
}

func (r *settingRoutes) putProfile(ctx context.Context, in *putProfileIn) (*struct{ Body Profile }, error) {
	before, _ := r.vault.Profile(in.Profile)
	noteSetting(ctx, "putProfile", in.Profile, before.Entry, in.Body)
	if err := r.vault.PutProfile(in.Profile, in.Body); err != nil {
		return nil, err
	}
	r.log.InfoContext(ctx, "profile set", "profile", in.Profile)
	return entry(r.vault.Profile, in.Profile, profileOf)
}

func (r *settingRoutes) deleteProfile(ctx context.Context, in *AtProfile) (*empty, error) {
	before, _ := r.vault.Profile(in.Profile)
	noteSetting(ctx, "deleteProfile", in.Profile, before.Entry, nil)
	err := r.vault.DeleteProfile(in.Profile)
	if err == nil {
		r.log.InfoContext(ctx, "profile removed", "profile", in.Profile)
	}
	return nil, err
}

// listed is a page of all there are: an operator sets tens of them, not thousands.
func listed[T, W any](read func() ([]vault.Named[T], error), of func(vault.Named[T]) W) (*pageOut[W], error) {
	all, err := read()
	if err != nil {
		return nil, err
	}
	items := make([]W, len(all))
	for i, n := range all {
		items[i] = of(n)
	}
	return pageOf(items, ""), nil
}

// entry is one of them.
func entry[T, W any](read func(string) (vault.Named[T], error), name string, of func(vault.Named[T]) W) (*struct{ Body W }, error) {
	n, err := read(name)
	var missing *vault.NotFoundError
	if errors.As(err, &missing) {
		for i := range problemTable {
			if problemTable[i].Err == missing.Err {
				p := problem(problemTable[i].Slug, err.Error())
				p.Exists = missing.Exists[:min(len(missing.Exists), maxExists)]
				return nil, p
			}
		}
	}
	if err != nil {
		return nil, err
	}
	return &struct{ Body W }{of(n)}, nil
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
