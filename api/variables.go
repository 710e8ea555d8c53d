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

func (s *server) registerVariables() {
	register(s, operation{id: "listVariables", method: http.MethodGet, path: "/api/v1/variables", tag: tagSettings,
		summary: "List variables by name, with their values"}, s.listVariables)
	register(s, operation{id: "getVariable", method: http.MethodGet, path: "/api/v1/variables/{variable}", tag: tagSettings,
		summary: "Read a variable", problems: []string{"variable_not_found"}}, s.getVariable)
	register(s, operation{id: "putVariable", method: http.MethodPut, path: "/api/v1/variables/{variable}", tag: tagSettings,
		summary: "Set a variable", about: "It may stand in histories and logs: what nobody should read is a secret.", problems: []string{"fixed_by_configuration"}}, s.putVariable)
	register(s, operation{id: "deleteVariable", method: http.MethodDelete, path: "/api/v1/variables/{variable}", tag: tagSettings,
		summary: "Remove a variable", problems: []string{"variable_not_found", "fixed_by_configuration"}}, s.deleteVariable)
}

func (s *server) listVariables(context.Context, *empty) (*pageOut[Variable], error) {
	return listed(s.o.Vault.Variables, variableOf)
}

func (s *server) getVariable(_ context.Context, in *AtVariable) (*struct{ Body Variable }, error) {
	return entry(s.o.Vault.Variable, in.Variable, variableOf)
}

func (s *server) putVariable(ctx context.Context, in *putVariableIn) (*struct{ Body Variable }, error) {
	before, _ := s.o.Vault.Variable(in.Variable)
	noteSetting(ctx, "putVariable", in.Variable, before.Entry, in.Body)
	if err := s.o.Vault.PutVariable(in.Variable, in.Body); err != nil {
		return nil, err
	}
	s.o.Log.InfoContext(ctx, "variable set", "variable", in.Variable)
	return entry(s.o.Vault.Variable, in.Variable, variableOf)
}

func (s *server) deleteVariable(ctx context.Context, in *AtVariable) (*empty, error) {
	before, _ := s.o.Vault.Variable(in.Variable)
	noteSetting(ctx, "deleteVariable", in.Variable, before.Entry, nil)
	err := s.o.Vault.DeleteVariable(in.Variable)
	if err == nil {
		s.o.Log.InfoContext(ctx, "variable removed", "variable", in.Variable)
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
