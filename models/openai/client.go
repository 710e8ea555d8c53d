package openai

import (
	"cmp"
	"context"
	"net/http"
	"strings"

	"github.com/stepgraph/stepgraph/models"
	"github.com/stepgraph/stepgraph/models/internal/wire"
)

// BaseURL is the address of OpenAI's own API.
const BaseURL = "https://api.openai.com/v1"

// Options configure a Client.
type Options struct {
	// BaseURL is the address before /chat/completions; BaseURL of this package
	// if empty.
	BaseURL string
	// Key is the API key. It may be empty for servers other than OpenAI.
	Key string
	// Organization and Project go out as headers of OpenAI if set.
	Organization, Project string
	// HTTPClient carries the calls, for instance with a guard against private
	// addresses; models.HTTPClient if nil. It must not log requests: they carry
	// the key.
	HTTPClient *http.Client
	// Prices give calls their cost. If nil, those of OpenAI are used for OpenAI
	// and none for other servers.
	Prices models.Prices
	// MaxBody is the largest answer that is read, in bytes; models.MaxBody if 0.
	MaxBody int64
}

// A Client is a models.Model that calls one server.
type Client struct {
	caller   wire.Caller
	prices   models.Prices
	dialects wire.ByModel[dialect]
}

var _ models.Model = (*Client)(nil)

// New returns a Client without connecting. An invalid address, and a missing key for OpenAI
// itself, are errors.
func New(options Options) (*Client, error) {
	caller, err := wire.NewCaller("openai", "openai.com", cmp.Or(options.BaseURL, BaseURL), options.Key, "chat", "completions")
	if err != nil {
		return nil, err
	}
	caller.Endpoint.Header, caller.Endpoint.HTTP, caller.Endpoint.MaxBody = options.header(), options.HTTPClient, options.MaxBody
	c := &Client{caller: caller, prices: options.Prices}
	if caller.Official && c.prices == nil {
		c.prices = OpenAIPrices
	}
	return c, nil
}

// header returns what identifies the caller in each request.
func (o *Options) header() http.Header {
	h := http.Header{"Accept": {"application/json, text/event-stream"}}
	if o.Key != "" {
		h.Set("Authorization", "Bearer "+o.Key)
	}
	if o.Organization != "" {
		h.Set("OpenAI-Organization", o.Organization)
	}
	if o.Project != "" {
		h.Set("OpenAI-Project", o.Project)
	}
	return h
}

// Provider returns the entry of a models.Catalog for these options. A server
// other than OpenAI may serve models of any name.
func Provider(options Options) models.Provider {
	return models.Provider{
		Open:     func() (models.Model, error) { return New(options) },
		Default:  "gpt-4o-mini",
		Prefixes: []string{"gpt-", "chatgpt-", "o1", "o3", "o4-"},
		Any:      options.BaseURL != "" && strings.TrimRight(options.BaseURL, "/") != BaseURL,
	}
}

// Generate calls the server once, and once more for each parameter that the server refuses as
// unknown.
func (c *Client) Generate(ctx context.Context, req models.Request) (models.Response, error) {
	if err := c.caller.Check(req, owned); err != nil {
		return models.Response{}, err
	}
	spoken := c.dialect(req.Model)
	for {
		resp, failed := c.ask(ctx, req, spoken)
		if failed == nil {
			return c.finish(req, resp)
		}
		simpler, keep, ok := spoken.simplify(req, failed)
		if !ok {
			return models.Response{}, failed
		}
		if spoken = simpler; keep {
			c.dialects.Set(req.Model, spoken)
		}
	}
}

// ask sends one request. Its error is a *models.Error.
func (c *Client) ask(ctx context.Context, req models.Request, spoken dialect) (*completion, *models.Error) {
	params, err := parameters(req, spoken)
	if err != nil {
		return nil, c.caller.BadRequest(err)
	}
	body, err := wire.Encode(params, req.Extra)
	if err != nil {
		return nil, c.caller.BadRequest(err)
	}
	answer, err := c.answer(ctx, body, req)
	if err != nil {
		return nil, c.caller.Failure(ctx, err, func(body []byte) string { return complaint(body).text() })
	}
	return answer, nil
}

// answer posts a request and reads the answer, whole or as a stream.
func (c *Client) answer(ctx context.Context, body []byte, req models.Request) (*completion, error) {
	resp, err := c.caller.Endpoint.Post(ctx, body, req.Key)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	switch {
	case req.Token == nil:
		return wholeAnswer(resp, func(string) {})
	case wire.IsJSON(resp):
		return wholeAnswer(resp, req.Token)
	}
	return readStream(resp, req.Token)
}

// dialect returns what is known about a model's server.
func (c *Client) dialect(model string) dialect {
	if d, ok := c.dialects.Get(model); ok {
		return d
	}
	return dialect{oldMaxTokens: !c.caller.Official}
}
