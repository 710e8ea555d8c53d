package models

import "regexp"

// A Price is what a model costs, in US dollars for a million tokens.
type Price struct {
	Input, CachedInput, Output float64
}

// Prices maps model ids to their prices. A dated id such as
// gpt-4o-2024-08-06 costs what gpt-4o costs unless it is listed itself.
type Prices map[string]Price

// dated is the date that providers put behind the name of a model.
var dated = regexp.MustCompile(`-(\d{4}-\d{2}-\d{2}|\d{8}|latest)$`)

// Cost returns what the usage costs in US dollars, 0 when the model is not
// listed.
func (p Prices) Cost(model string, u Usage) float64 {
	price, ok := p[model]
	if !ok {
		price, ok = p[dated.ReplaceAllString(model, "")]
	}
	if !ok {
		return 0
	}
	fresh := max(u.InputTokens-u.CachedTokens, 0)
	return (float64(fresh)*price.Input +
		float64(u.CachedTokens)*price.CachedInput +
		float64(u.OutputTokens)*price.Output) / 1e6
}
