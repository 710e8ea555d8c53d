package api

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/stepgraph/stepgraph/vault"
)

// A Variable is a named value that workflows read.
type Variable struct {
	vault.Origin
	vault.Variable
}

func variableOf(n vault.Named[vault.Variable]) Variable { return Variable{n.Origin, n.Entry} }

// AtVariable is embedded by what is addressed by a variable.
type AtVariable struct {
	Variable string `path:"variable" doc:"its name"`
}

type putVariableIn struct {
	AtVariable
	Body vault.Variable
}

func (r *settingRoutes) registerVariables() {
	register(r.routeTable, operation{id: "listVariables", method: http.MethodGet, path: "/api/v1/variables", tag: tagSettings,
		summary: "List variables by name, with their values"}, r.listVariables)
	register(r.routeTable, operation{id: "getVariable", method: http.MethodGet, path: "/api/v1/variables/{variable}", tag: tagSettings,
		summary: "Read a variable", problems: []string{"variable_not_found"}}, r.getVariable)
	register(r.routeTable, operation{id: "putVariable", method: http.MethodPut, path: "/api/v1/variables/{variable}", tag: tagSettings,
		summary: "Set a variable", about: "It may stand in histories and logs: what nobody should read is a secret.", problems: []string{"fixed_by_configuration"}}, r.putVariable)
	register(r.routeTable, operation{id: "deleteVariable", method: http.MethodDelete, path: "/api/v1/variables/{variable}", tag: tagSettings,
		summary: "Remove a variable", problems: []string{"variable_not_found", "fixed_by_configuration"}}, r.deleteVariable)
}

func (r *settingRoutes) listVariables(context.Context, *empty) (*pageOut[Variable], error) {
	return listed(r.vault.Variables, variableOf)
}

func (r *settingRoutes) getVariable(_ context.Context, in *AtVariable) (*struct{ Body Variable }, error) {
	return entry(r.vault.Variable, in.Variable, variableOf)
}

func (r *settingRoutes) putVariable(ctx context.Context, in *putVariableIn) (*struct{ Body Variable }, error) {
	before, _ := r.vault.Variable(in.Variable)
	noteSetting(ctx, "putVariable", in.Variable, before.Entry, in.Body)
	if err := r.vault.PutVariable(in.Variable, in.Body); err != nil {
		return nil, err
	}
	r.log.InfoContext(ctx, "variable set", "variable", in.Variable)
	return entry(r.vault.Variable, in.Variable, variableOf)
}

func (r *settingRoutes) deleteVariable(ctx context.Context, in *AtVariable) (*empty, error) {
	before, _ := r.vault.Variable(in.Variable)
	noteSetting(ctx, "deleteVariable", in.Variable, before.Entry, nil)
	err := r.vault.DeleteVariable(in.Variable)
	if err == nil {
		r.log.InfoContext(ctx, "variable removed", "variable", in.Variable)
	}
	return nil, err
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
