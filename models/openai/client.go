package openai

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"

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
	name     string // in errors: "openai", with the host of another server behind it
	official bool
	key      string
	prices   models.Prices
	endpoint wire.Endpoint

	mu       sync.Mutex
	dialects map[string]dialect // by model
}

var _ models.Model = (*Client)(nil)

// New returns a Client without connecting. An invalid address, and a missing key for OpenAI
// itself, are errors.
func New(options Options) (*Client, error) {
	if options.BaseURL == "" {
		options.BaseURL = BaseURL
	}
	base, err := url.Parse(options.BaseURL)
	if err != nil || base.Host == "" || base.Scheme != "http" && base.Scheme != "https" {
		return nil, errors.New("openai: the base URL is not an http or https address")
	}
	c := &Client{name: "openai", key: options.Key, prices: options.Prices, dialects: map[string]dialect{}}
	c.official = strings.HasSuffix("."+base.Hostname(), ".openai.com")
	switch {
	case c.official && c.key == "":
		return nil, errors.New("openai: no API key; set OPENAI_API_KEY, or OPENAI_BASE_URL for another server")
	case !c.official:
		c.name += " at " + base.Host
	case c.prices == nil:
		c.prices = OpenAIPrices
	}
	c.endpoint = wire.Endpoint{URL: base.JoinPath("chat", "completions"), Header: options.header(), HTTP: options.HTTPClient, MaxBody: options.MaxBody}
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
	if err := c.check(req); err != nil {
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
			c.learn(req.Model, spoken)
		}
	}
}

// check refuses requests that a server would refuse with a less clear error, or accept and
// ignore.
func (c *Client) check(req models.Request) error {
	if req.Model == "" {
		return models.NewError(models.KindBadRequest, false, c.name+": no model named", nil)
	}
	for name := range req.Extra {
		if owned[name] {
			message := fmt.Sprintf("%s: the extra parameter %q belongs to the request itself", c.name, name)
			return models.NewError(models.KindBadRequest, false, message, nil)
		}
	}
	return nil
}

// ask sends one request. Its error is a *models.Error.
func (c *Client) ask(ctx context.Context, req models.Request, spoken dialect) (*completion, *models.Error) {
	params, err := parameters(req, spoken)
	if err != nil {
		return nil, models.NewError(models.KindBadRequest, false, c.name+": "+err.Error(), nil)
	}
	body, err := wire.Encode(params, req.Extra)
	if err != nil {
		return nil, models.NewError(models.KindBadRequest, false, c.name+": "+err.Error(), nil)
	}
	answer, err := c.answer(ctx, body, req)
	if err != nil {
		return nil, c.failure(ctx, err)
	}
	return answer, nil
}

// answer posts a request and reads the answer, whole or as a stream.
func (c *Client) answer(ctx context.Context, body []byte, req models.Request) (*completion, error) {
	resp, err := c.endpoint.Post(ctx, body, req.Key)
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

func (c *Client) dialect(model string) dialect {
	c.mu.Lock()
	defer c.mu.Unlock()
	if d, ok := c.dialects[model]; ok {
		return d
	}
	return dialect{oldMaxTokens: !c.official}
}

// maxDialects limits the number of remembered models, because references can make any number
// of names.
const maxDialects = 1000

func (c *Client) learn(model string, d dialect) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.dialects) >= maxDialects {
		clear(c.dialects)
	}
	c.dialects[model] = d
}
