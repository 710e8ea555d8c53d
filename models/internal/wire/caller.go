package wire

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"

	"github.com/stepgraph/stepgraph/models"
)

// A Caller calls one server of one vendor. The clients of all vendors embed it.
type Caller struct {
	Name     string // begins errors: the vendor, with the host where it is not the vendor's own
	Official bool   // the server is the vendor's own
	Key      string
	Endpoint Endpoint
}

// NewCaller checks the address of a server. domain is the vendor's; its own servers need a key.
// The URL of the endpoint is base followed by path.
func NewCaller(vendor, domain, base, key string, path ...string) (Caller, error) {
	u, err := url.Parse(base)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return Caller{}, errors.New(vendor + ": the base URL is not an http or https address")
	}
	c := Caller{Name: vendor, Key: key, Official: strings.HasSuffix("."+u.Hostname(), "."+domain)}
	switch {
	case !c.Official:
		c.Name += " at " + u.Host
	case key == "":
		prefix := strings.ToUpper(vendor)
		return Caller{}, fmt.Errorf("%s: no API key; set %s_API_KEY, or %s_BASE_URL for another server", vendor, prefix, prefix)
	}
	c.Endpoint.URL = u.JoinPath(path...)
	return c, nil
}

// Check refuses requests that a server would refuse with a less clear error, or accept and
// ignore. owned are the parameters that the client sets itself.
func (c *Caller) Check(req models.Request, owned map[string]bool) error {
	if req.Model == "" {
		return c.BadRequest(errors.New("no model named"))
	}
	for name := range req.Extra {
		if owned[name] {
			return c.BadRequest(fmt.Errorf("the extra parameter %q belongs to the request itself", name))
		}
	}
	return nil
}

// BadRequest returns the error of a request that was not sent.
func (c *Caller) BadRequest(err error) *models.Error {
	return models.NewError(models.KindBadRequest, false, c.Name+": "+err.Error(), nil)
}

// A Refusal is an error that a server sent: its status, headers and message.
type Refusal struct {
	Status  int
	Header  http.Header
	Message string
}

func (r *Refusal) Error() string { return "the server answered with an error: " + r.Message }

// Failure converts an error of Post or of reading the response. message reads the body of an
// error response; an error inside a stream is a *Refusal.
func (c *Caller) Failure(ctx context.Context, err error, message func(body []byte) string) *models.Error {
	var status *StatusError
	var inStream *Refusal
	switch {
	case ctx.Err() != nil:
	case errors.As(err, &inStream):
		return models.StatusError(c.Name, inStream.Status, inStream.Header, inStream.Message, c.Key)
	case errors.As(err, &status):
		return models.StatusError(c.Name, status.Status, status.Header, message(status.Body), c.Key)
	}
	return models.TransportError(ctx, c.Name, err, c.Key)
}

// maxModels limits the number of models in a ByModel, because references can make any number of
// names.
const maxModels = 1000

// ByModel remembers what a client learned about each model. It is safe for concurrent use.
type ByModel[T any] struct {
	mu     sync.Mutex
	values map[string]T
}

// Get returns what Set stored for a model.
func (m *ByModel[T]) Get(model string) (T, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	value, ok := m.values[model]
	return value, ok
}

// Set stores a value for a model; it forgets all others when there are too many.
func (m *ByModel[T]) Set(model string, value T) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.values == nil || len(m.values) >= maxModels {
		m.values = map[string]T{}
	}
	m.values[model] = value
}
