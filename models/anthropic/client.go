package anthropic

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"strings"

	"github.com/stepgraph/stepgraph/models"
	"github.com/stepgraph/stepgraph/models/internal/wire"
)

// BaseURL is the address of Anthropic's own API.
const BaseURL = "https://api.anthropic.com"

// MaxTokens is the default limit of output tokens; the API requires a limit.
const MaxTokens = 8192

// Options configure a Client.
type Options struct {
	// BaseURL is the address before /v1/messages; BaseURL of this package if
	// empty.
	BaseURL string
	// Key is the API key. It may be empty for servers other than Anthropic.
	Key string
	// HTTPClient carries the calls; models.HTTPClient if nil. Redirects are never
	// followed, since the header with the key would go along. It must not log
	// requests.
	HTTPClient *http.Client
	// Prices give calls their cost. If nil, those of Anthropic are used for
	// Anthropic and none for other servers.
	Prices models.Prices
	// MaxBody is the largest response that is read, in bytes; models.MaxBody if 0.
	MaxBody int64
}

// A Client is a models.Model that calls one server.
type Client struct {
	caller wire.Caller
	prices models.Prices
	// inWords holds the models that refused structured output: they get the schema in words.
	inWords wire.ByModel[bool]
}

var _ models.Model = (*Client)(nil)

// New returns a Client without connecting. An invalid address, and a missing key for Anthropic
// itself, are errors.
func New(options Options) (*Client, error) {
	caller, err := wire.NewCaller("anthropic", "anthropic.com", cmp.Or(options.BaseURL, BaseURL), options.Key, "v1", "messages")
	if err != nil {
		return nil, err
	}
	caller.Endpoint.Header, caller.Endpoint.HTTP, caller.Endpoint.MaxBody = options.header(), options.client(), options.MaxBody
	c := &Client{caller: caller, prices: options.Prices}
	if caller.Official && c.prices == nil {
		c.prices = AnthropicPrices
	}
	return c, nil
}

// version is the version of the API that the types of this package follow.
const version = "2023-06-01"

// header returns the headers that identify the caller.
func (o *Options) header() http.Header {
	h := http.Header{}
	h.Set("Accept", "application/json, text/event-stream")
	h.Set("Anthropic-Version", version)
	if o.Key != "" {
		h.Set("X-Api-Key", o.Key)
	}
	return h
}

// client returns an HTTP client that follows no redirects: net/http removes only its standard
// credential headers from a request to another host, not this API's.
func (o *Options) client() *http.Client {
	client := o.HTTPClient
	if client == nil {
		client = models.HTTPClient()
	}
	still := *client
	still.CheckRedirect = func(req *http.Request, _ []*http.Request) error {
		return fmt.Errorf("redirected to %s, which is not followed", req.URL.Host)
	}
	return &still
}

// Provider returns the entry of a models.Catalog for these options.
func Provider(options Options) models.Provider {
	return models.Provider{
		Open:     func() (models.Model, error) { return New(options) },
		Default:  "claude-haiku-4-5",
		Prefixes: []string{"claude-"},
	}
}

// Generate calls the server once, or twice if it refuses structured output.
func (c *Client) Generate(ctx context.Context, req models.Request) (models.Response, error) {
	if err := c.caller.Check(req, owned); err != nil {
		return models.Response{}, err
	}
	inWords, _ := c.inWords.Get(req.Model)
	message, failed := c.ask(ctx, req, inWords)
	if failed != nil && !inWords && len(req.Schema) > 0 && aboutSchema(failed) {
		if message, failed = c.ask(ctx, req, true); failed == nil {
			c.inWords.Set(req.Model, true)
		}
	}
	if failed != nil {
		return models.Response{}, failed
	}
	return c.finish(req, message)
}

// aboutSchema reports whether a request was refused because of structured output.
func aboutSchema(failed *models.Error) bool {
	text := strings.ToLower(failed.Message)
	return failed.Status == http.StatusBadRequest &&
		(strings.Contains(text, "output_config") || strings.Contains(text, "output_format") || strings.Contains(text, "schema"))
}

// ask sends one request. Its error is a *models.Error.
func (c *Client) ask(ctx context.Context, req models.Request, inWords bool) (*message, *models.Error) {
	params, err := parameters(req, inWords)
	if err != nil {
		return nil, c.caller.BadRequest(err)
	}
	body, err := wire.Encode(params, req.Extra)
	if err != nil {
		return nil, c.caller.BadRequest(err)
	}
	answer, err := c.answer(ctx, body, req)
	if err != nil {
		return nil, c.caller.Failure(ctx, err, complaint)
	}
	return answer, nil
}

// answer posts a request and reads the response, as a stream unless the server does not
// stream.
func (c *Client) answer(ctx context.Context, body []byte, req models.Request) (*message, error) {
	resp, err := c.caller.Endpoint.Post(ctx, body, req.Key)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	token := req.Token
	if token == nil {
		token = func(string) {}
	}
	if wire.IsJSON(resp) {
		return wholeAnswer(resp, token)
	}
	return readStream(resp, token)
}
