package flowiseapi

import (
	"errors"
	"io"
	"mime/multipart"
	"net/http"
	"unicode/utf8"

	"github.com/stepgraph/stepgraph/compat/flowise"
	"github.com/stepgraph/stepgraph/compat/internal/wire"
)

// An attachment is a file that was sent ahead of a question, as Flowise answers it. A chat window
// sends content back with the question, as an upload of the type file:full.
type attachment struct {
	Name     string `json:"name"`
	MimeType string `json:"mimeType"`
	Size     int    `json:"size"`
	Content  string `json:"content"`
}

// attach reads the files of a form and answers with their texts. Nothing is kept: the text comes
// back with the question. Files that are not text are refused by name, because there is no reader
// for them here and a model must not answer as if it had read them.
func (f *chatflows) attach(w http.ResponseWriter, r *http.Request) error {
	if _, err := f.flow(r.Context(), r.PathValue("id")); err != nil {
		return err
	}
	r.Body = http.MaxBytesReader(w, r.Body, wire.FlowLimit)
	form, err := r.MultipartReader()
	if err != nil {
		return &refusal{http.StatusBadRequest, "the body is not a form with files (multipart/form-data): " + err.Error()}
	}
	out := []attachment{}
	for {
		part, err := form.NextPart()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return &refusal{http.StatusBadRequest, "the form could not be read: " + err.Error()}
		}
		if part.FileName() == "" {
			continue // fields that the file's reader would need there
		}
		one, err := attachmentOf(part)
		if err != nil {
			return err
		}
		out = append(out, one)
	}
	writeJSON(w, http.StatusOK, out)
	return nil
}

func attachmentOf(part *multipart.Part) (attachment, error) {
	text, err := io.ReadAll(part)
	if err != nil {
		return attachment{}, &refusal{http.StatusBadRequest, "the file " + part.FileName() + " could not be read: " + err.Error()}
	}
	if !utf8.Valid(text) {
		return attachment{}, &refusal{http.StatusUnsupportedMediaType, (&flowise.UploadError{Name: part.FileName(), Type: part.Header.Get("Content-Type")}).Error()}
	}
	return attachment{Name: part.FileName(), MimeType: part.Header.Get("Content-Type"), Size: len(text), Content: string(text)}, nil
}
