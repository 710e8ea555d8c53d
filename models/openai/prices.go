package openai

import "github.com/stepgraph/stepgraph/models"

// OpenAIPrices are the list prices of OpenAI's common models at the standard
// tier, as far as they were known when this was written. They are for orders of
// magnitude; whoever bills by them sets Options.Prices.
var OpenAIPrices = models.Prices{
	"gpt-4o":       {Input: 2.50, CachedInput: 1.25, Output: 10},
	"gpt-4o-mini":  {Input: 0.15, CachedInput: 0.075, Output: 0.60},
	"gpt-4.1":      {Input: 2, CachedInput: 0.50, Output: 8},
	"gpt-4.1-mini": {Input: 0.40, CachedInput: 0.10, Output: 1.60},
	"gpt-4.1-nano": {Input: 0.10, CachedInput: 0.025, Output: 0.40},
	"gpt-5":        {Input: 1.25, CachedInput: 0.125, Output: 10},
	"gpt-5-mini":   {Input: 0.25, CachedInput: 0.025, Output: 2},
	"gpt-5-nano":   {Input: 0.05, CachedInput: 0.005, Output: 0.40},
	"o3":           {Input: 2, CachedInput: 0.50, Output: 8},
	"o4-mini":      {Input: 1.10, CachedInput: 0.275, Output: 4.40},
}
