package openai

import (
	"bytes"
	"io"
	"net/http"

	"github.com/openai/openai-go/v3/option"

	"github.com/stepgraph/stepgraph/models"
)

// watchBody puts a body around every answer, of which at most limit bytes can be
// read.
func watchBody(limit int64) option.Middleware {
	return func(req *http.Request, next option.MiddlewareNext) (*http.Response, error) {
		answer, err := next(req)
		if err == nil && answer.Body != nil {
			answer.Body = &body{ReadCloser: models.LimitBody(answer.Body, limit)}
		}
		return answer, err
	}
}

// A body is the answer of a server that knows whether a stream came to its end:
// the library tells a stream that ended from one that broke off only where the
// connection tells it too.
type body struct {
	io.ReadCloser
	tail []byte // the newest bytes
}

// endOfStream is what the wire says after the last chunk.
var endOfStream = []byte("data: [DONE]")

func (b *body) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.tail = append(b.tail, p[:n]...)
	if keep := 2 * len(endOfStream); len(b.tail) > keep {
		b.tail = append(b.tail[:0], b.tail[len(b.tail)-keep:]...)
	}
	return n, err
}

// complete says whether the stream came to its end.
func (b *body) complete() bool { return bytes.Contains(b.tail, endOfStream) }

// complete says whether the stream of an answer came to its end.
func complete(answer *http.Response) bool {
	b, ok := answer.Body.(*body)
	return ok && b.complete()
}
