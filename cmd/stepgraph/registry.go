package main

import (
	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/functions"
	"github.com/stepgraph/stepgraph/models"
)

// registry holds what steps may call, and the models behind it.
func (a *app) registry(s settings, recorder *models.Recorder) (*engine.Registry, *models.Catalog, error) {
	catalog, err := a.catalog(s, nil, recorder)
	if err != nil {
		return nil, nil, err
	}
	r := engine.NewRegistry()
	r.Add(engine.Spec{Name: "utils.request.request", Aliases: []string{"request"}, Function: engine.FunctionFunc(functions.Request)})
	r.Add(engine.Spec{Name: "utils.reply.reply", Aliases: []string{"reply"}, Function: engine.FunctionFunc(functions.Reply)})
	r.Add(engine.Spec{Name: "template", Function: engine.FunctionFunc(functions.Template)})
	return r, catalog, nil
}
