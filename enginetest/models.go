package enginetest

import "github.com/stepgraph/stepgraph/models"

// Models gives one model under every name and at every endpoint. It serves as the option
// Models of the standard functions in a test.
type Models struct{ model models.Model }

// OneModel returns a source of models that knows only this one.
func OneModel(m models.Model) Models { return Models{m} }

// Model returns the model, with the name as asked for.
func (m Models) Model(name string) (models.Model, string, error) { return m.model, name, nil }

// Endpoint returns the model, whatever the address.
func (m Models) Endpoint(models.Endpoint) (models.Model, error) { return m.model, nil }
