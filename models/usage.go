package models

import "unicode/utf8"

// Usage is what one call consumed.
type Usage struct {
	InputTokens  int `json:"input_tokens"`  // everything sent, cached tokens included
	OutputTokens int `json:"output_tokens"` // everything written, reasoning included
	CachedTokens int `json:"cached_tokens,omitempty"`
	// ReasoningTokens is the part of OutputTokens that is not in the text.
	ReasoningTokens int `json:"reasoning_tokens,omitempty"`
	// Estimated means that the counts are estimated from the length of the texts, because the
	// provider returned none.
	Estimated bool `json:"estimated,omitempty"`
	// Cost is in US dollars; 0 is unknown (or free).
	Cost float64 `json:"cost,omitempty"`
}

// Add returns the sum of both, estimated if either is.
func (u Usage) Add(v Usage) Usage {
	return Usage{
		InputTokens:     u.InputTokens + v.InputTokens,
		OutputTokens:    u.OutputTokens + v.OutputTokens,
		CachedTokens:    u.CachedTokens + v.CachedTokens,
		ReasoningTokens: u.ReasoningTokens + v.ReasoningTokens,
		Estimated:       u.Estimated || v.Estimated,
		Cost:            u.Cost + v.Cost,
	}
}

// EstimateUsage estimates the usage of a call from its texts at four characters a token: good
// enough for limits, too inexact for billing. Images are not counted.
func EstimateUsage(req Request, resp Response) Usage {
	input := 0
	for _, m := range req.Messages {
		input += utf8.RuneCountInString(m.Content) + callLength(m.ToolCalls)
	}
	for _, t := range req.Tools {
		input += utf8.RuneCountInString(t.Name) + utf8.RuneCountInString(t.Description) + len(t.Parameters)
	}
	input += len(req.Schema)
	output := utf8.RuneCountInString(resp.Text) + callLength(resp.ToolCalls)
	return Usage{InputTokens: tokens(input), OutputTokens: tokens(output), Estimated: true}
}

func callLength(calls []ToolCall) int {
	n := 0
	for _, c := range calls {
		n += utf8.RuneCountInString(c.Name) + utf8.RuneCount(c.Arguments)
	}
	return n
}

func tokens(characters int) int { return (characters + 3) / 4 }
