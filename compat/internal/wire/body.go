package wire

import (
	"errors"
	"io"
	"net/http"
)

// FlowLimit is the maximal size in bytes of a body or frame that contains a flow.
const FlowLimit = 4 << 20

// ReadBody reads a body of at most limit bytes.
func ReadBody(w http.ResponseWriter, r *http.Request, limit int64) ([]byte, error) {
	text, err := io.ReadAll(http.MaxBytesReader(w, r.Body, limit))
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		return nil, &Refusal{http.StatusRequestEntityTooLarge, "the body is too large"}
	case err != nil:
		return nil, Refuse("the body could not be read: " + err.Error())
	}
	return text, nil
}
