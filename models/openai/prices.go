package openai

import "github.com/stepgraph/stepgraph/models"

// OpenAIPrices are the list prices of OpenAI's common models at the standard tier when this
// was written. They are estimates; set Options.Prices for billing.
var OpenAIPrices = models.Prices{
	"gpt-3.5-turbo": {Input: 0.50, CachedInput: 0.50, Output: 1.50},
	"gpt-4-turbo":   {Input: 10, CachedInput: 10, Output: 30},
	"gpt-4o":        {Input: 2.50, CachedInput: 1.25, Output: 10},
	"gpt-4o-mini":   {Input: 0.15, CachedInput: 0.075, Output: 0.60},
	"gpt-4.1":       {Input: 2, CachedInput: 0.50, Output: 8},
	"gpt-4.1-mini":  {Input: 0.40, CachedInput: 0.10, Output: 1.60},
	"gpt-4.1-nano":  {Input: 0.10, CachedInput: 0.025, Output: 0.40},
	"gpt-5":         {Input: 1.25, CachedInput: 0.125, Output: 10},
	"gpt-5-mini":    {Input: 0.25, CachedInput: 0.025, Output: 2},
	"gpt-5-nano":    {Input: 0.05, CachedInput: 0.005, Output: 0.40},
	"gpt-5.1":       {Input: 1.25, CachedInput: 0.125, Output: 10},
	"o1":            {Input: 15, CachedInput: 7.50, Output: 60},
	"o3-mini":       {Input: 1.10, CachedInput: 0.55, Output: 4.40},
	"o3":            {Input: 2, CachedInput: 0.50, Output: 8},
	"o4-mini":       {Input: 1.10, CachedInput: 0.275, Output: 4.40},
}
