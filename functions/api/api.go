package api

import (
	"context"
	"encoding/json"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/functions/internal/input"
	"github.com/stepgraph/stepgraph/functions/internal/web"
	"github.com/stepgraph/stepgraph/functions/internal/wire"
)

// Options configure which networks requests may reach and which secrets they may use. The zero
// value works.
type Options struct {
	AllowNet []netip.Prefix // networks that may be called in addition to the public internet
	// Getenv returns the value of the secret or environment variable NAME for a request to an
	// address, and whether workflows may use it there. If nil, no name has a value.
	Getenv  func(name string, to *url.URL) (string, bool)
	Timeout time.Duration // of a request whose step sets none; 30 s by default
	// Transport replaces the default transport, which only connects to allowed networks. Only
	// tests and programs with their own network policy set it.
	Transport http.RoundTripper
}

// Input is the input of utils.api.api.
type Input struct {
	Method       input.Text      `json:"method,omitempty" jsonschema:"GET when absent"`
	URL          input.Text      `json:"url,omitempty" jsonschema:"http or https address"`
	Params       json.RawMessage `json:"params,omitempty" takes:"object list" jsonschema:"an object of values, or lists of values, for the query of the address, or rows {name, value}; $NAME, ${NAME} and {\"secret\": \"NAME\"} are values that the operator has configured"`
	Query        json.RawMessage `json:"query,omitempty" takes:"object list" jsonschema:"another name of params"`
	Headers      json.RawMessage `json:"headers,omitempty" takes:"object list" jsonschema:"an object of texts, or rows {name, value}, with secrets as in params"`
	Auth         json.RawMessage `json:"auth,omitempty" jsonschema:"{type: basic, username, password}, {type: bearer, token} or {type: api_key, value, header or query}; values as {\"secret\": \"NAME\"}, $NAME or a text"`
	JSONData     json.RawMessage `json:"json_data,omitempty" jsonschema:"a value sent as JSON"`
	JSON         json.RawMessage `json:"json,omitempty" jsonschema:"another name of json_data"`
	Data         json.RawMessage `json:"data,omitempty" jsonschema:"an object sent as a form, or a text sent as it is"`
	Body         json.RawMessage `json:"body,omitempty" jsonschema:"a text sent as it is, or another value sent as JSON, unless body_type says otherwise"`
	BodyType     input.Text      `json:"body_type,omitempty" jsonschema:"how the body is sent: json, raw, form (also urlencoded; a list becomes repeated fields) or multipart (a value {filename, content or base64, content_type} is a file)"`
	ResponseType input.Text      `json:"response_type,omitempty" jsonschema:"json, text or base64; without it JSON is parsed and anything else is a text"`
	Timeout      input.Duration  `json:"timeout,omitempty" jsonschema:"how long one attempt may take, in seconds or as a text such as 10s; 30 s when absent"`
	Retries      input.Int       `json:"retries,omitempty" jsonschema:"how often the request is made again within this call, at most 10; none when absent"`
	RetryStatus  json.RawMessage `json:"retry_statuses,omitempty" jsonschema:"statuses that are tried again; 408, 425, 429 and 5xx when absent"`
	RetryDelay   input.Duration  `json:"retry_delay,omitempty" jsonschema:"interval before the second attempt; it doubles up to 30 s, and a Retry-After up to 30 s is used; 1 s when absent"`
	Raise        json.RawMessage `json:"raise,omitempty" jsonschema:"true: a bad status or a failed connection is an error of the step, to which its retry policy applies, instead of an output; connection: only a missing or incomplete response is an error, every status is an output"`
	Lenient      input.Bool      `json:"lenient,omitempty" jsonschema:"a body given as text may be JSON5 (single quotes, trailing commas, comments) or JSON that an editor has escaped, and goes out as strict JSON, or as the fields of a form; a blank text is no body"`
	Text         input.Bool      `json:"text,omitempty" jsonschema:"the output also has the body as it came, as text"`
	StatusText   input.Bool      `json:"status_text,omitempty" jsonschema:"the output also has the words of the status, such as Not Found"`
}

// Output is the output of utils.api.api.
type Output struct {
	StatusCode int               `json:"status_code" jsonschema:"0 when there was no answer"`
	Response   json.RawMessage   `json:"response" jsonschema:"the body: parsed when it is JSON, else a text; null when there was no answer"`
	Headers    map[string]string `json:"headers" jsonschema:"of the answer"`
	Error      *string           `json:"error" jsonschema:"what failed, a status of 400 and above included; null on success"`
	Attempts   int               `json:"attempts,omitempty" jsonschema:"how many attempts were made, when more than one"`
	StatusText string            `json:"status_text,omitempty" jsonschema:"the words of the status; where the input asks for them"`
	Text       *string           `json:"text,omitempty" jsonschema:"the body as it came; where the input asks for it"`
}

// Spec describes utils.api.api. A call repeated after a crash sends the same request with the
// same Idempotency-Key, so that a server that supports it does the work once.
func Spec(o Options) function.Spec {
	f := stepFunction{web.New(web.Options(o))}
	return function.Spec{
		Name:        "utils.api.api",
		Aliases:     []string{"api", "utils.api"},
		Description: "Sends an HTTP request and returns the response.",
		Effects:     true,
		Secrets:     []string{"params", "query", "headers", "auth"},
		Check:       input.Check[Input](func(text json.RawMessage) []function.Problem { return check(text, o.AllowNet) }),
		Input:       input.Schema[Input](),
		Output:      input.Schema[Output](),
		Examples:    examples,
		Function:    function.ObjectFunc(f.call),
	}
}

type stepFunction struct{ client *web.Client }

func (f stepFunction) call(ctx context.Context, fields input.Object) (json.RawMessage, error) {
	in, err := input.Bind[Input](fields)
	if err != nil {
		return nil, err
	}
	if in.URL == "" {
		return nil, input.Bad("url: the address is missing")
	}
	raise, err := in.raising()
	if err != nil {
		return nil, err
	}
	out := Output{Response: json.RawMessage("null"), Headers: map[string]string{}}
	fault := f.exchange(ctx, in, &out)
	if ctx.Err() != nil {
		return nil, wire.Ended(ctx)
	}
	encoded := input.Encode(out)
	if fault == nil && len(encoded) > web.MaxBody {
		fault = web.TooLarge()
	}
	if fault == nil {
		return encoded, nil
	}
	if fault.Kind == function.KindBadInput || fault.Kind == function.KindDisabled || raise(fault) {
		return nil, fault
	}
	message := fault.Message
	out.Error = &message
	if fault.Kind == function.KindTooLarge {
		out.Response, out.Headers, out.Text = json.RawMessage("null"), map[string]string{}, nil
	}
	return input.Encode(out), nil
}

// exchange sends the request and fills out from the response. The returned error has all
// secrets masked.
func (f stepFunction) exchange(ctx context.Context, in Input, out *Output) *function.CallError {
	policy, err := in.policy()
	if err != nil {
		return err
	}
	reading, err := reader(string(in.ResponseType))
	if err != nil {
		return err
	}
	sending, err := f.prepare(ctx, in)
	if err != nil {
		return err
	}
	answer, fault := sending.Do(ctx, policy)
	out.StatusCode, out.Headers = answer.Status, answer.Header
	if answer.Attempts > 1 {
		out.Attempts = answer.Attempts
	}
	if fault == nil || fault.Kind == web.KindStatus {
		var broken *function.CallError
		if out.Response, broken = reading(answer); fault == nil {
			fault = broken
		}
		in.tell(answer, out)
	}
	return fault
}

// tell adds the optional fields that the input asks for.
func (in Input) tell(answer web.Answer, out *Output) {
	if in.Text {
		body := strings.ToValidUTF8(answer.Body, "\uFFFD")
		out.Text = &body
	}
	if in.StatusText {
		out.StatusText = http.StatusText(answer.Status)
	}
}
