package anthropic

import "github.com/stepgraph/stepgraph/models"

// AnthropicPrices are the list prices of Anthropic's common models when this was written.
// Cache writes are counted as plain input. They are estimates; set Options.Prices for billing.
var AnthropicPrices = models.Prices{
	"claude-3-haiku":    {Input: 0.25, CachedInput: 0.03, Output: 1.25},
	"claude-3-5-haiku":  {Input: 0.80, CachedInput: 0.08, Output: 4},
	"claude-3-5-sonnet": {Input: 3, CachedInput: 0.30, Output: 15},
	"claude-3-7-sonnet": {Input: 3, CachedInput: 0.30, Output: 15},
	"claude-3-opus":     {Input: 15, CachedInput: 1.50, Output: 75},
	"claude-haiku-4-5":  {Input: 1, CachedInput: 0.10, Output: 5},
	"claude-sonnet-4":   {Input: 3, CachedInput: 0.30, Output: 15},
	"claude-sonnet-4-5": {Input: 3, CachedInput: 0.30, Output: 15},
	"claude-opus-4":     {Input: 15, CachedInput: 1.50, Output: 75},
	"claude-opus-4-1":   {Input: 15, CachedInput: 1.50, Output: 75},
	"claude-opus-4-5":   {Input: 5, CachedInput: 0.50, Output: 25},
}
